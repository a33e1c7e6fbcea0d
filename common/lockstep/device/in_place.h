// in_place: shows the other input (other_input.h) to kernels in memory that the host writes in place.
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "device/emulated_device.h"
#include "device/other_input.h"

namespace lockstep {

// While a kernel runs, it sees the other input in memory that the host writes in place. Afterwards the host finds its
// own words there again, except where the kernel has stored. Also a store of the same word is one. Threads of the host
// may go on writing there while the kernel runs: what they write stays.
class InPlace {
 public:
  InPlace(EmulatedDevice& device, const Range& range, OtherInput& other)
      : device_(device),
        other_(other),
        range_(range),
        memory_(reinterpret_cast<std::byte*>(range.begin), range.end - range.begin),
        before_(memory_.begin(), memory_.end()),
        shown_(before_) {
    other.replace(shown_);
    for (size_t word = 0; word < memory_.size() / kWord; ++word) exchange(word, before_, shown_);
    device_.note_stores(range);
  }
  ~InPlace() {
    const std::vector<uint8_t> stored = device_.take_stores(range_);
    for (size_t word = 0; word < memory_.size() / kWord; ++word)
      if (!stored[word] && !exchange(word, shown_, before_)) complete(word);
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  static constexpr size_t kWord = sizeof(uint32_t);

  static uint32_t word_of(const std::vector<std::byte>& bytes, size_t word) {
    uint32_t value = 0;
    std::memcpy(&value, &bytes[word * kWord], kWord);
    return value;
  }
  std::atomic_ref<uint32_t> at(size_t word) {
    return std::atomic_ref(reinterpret_cast<uint32_t&>(memory_[word * kWord]));
  }

  // False: the word is another one meanwhile.
  bool exchange(size_t word, const std::vector<std::byte>& from, const std::vector<std::byte>& to) {
    uint32_t expected = word_of(from, word);
    const uint32_t wanted = word_of(to, word);
    return expected == wanted || at(word).compare_exchange_strong(expected, wanted);
  }

  // Two threads of the host may write the two parts of one word of the input. If the first part equals the old bytes,
  // the old word still looks whole. It is replaced, and the second part is written into the replacement. This brings
  // the first part back.
  void complete(size_t word) {
    const uint32_t shown = word_of(shown_, word), before = word_of(before_, word);
    uint32_t found = at(word).load();
    uint32_t whole = found;
    for (uint32_t byte = 0xff; byte != 0; byte <<= 8)
      if ((found & byte) == (shown & byte)) whole = (whole & ~byte) | (before & byte);
    if (shown != before && !other_.is_given(found) && other_.is_given(whole))
      at(word).compare_exchange_strong(found, whole);
  }

  EmulatedDevice& device_;
  const OtherInput& other_;
  const Range range_;
  std::span<std::byte> memory_;
  std::vector<std::byte> before_, shown_;
};

}  // namespace lockstep
