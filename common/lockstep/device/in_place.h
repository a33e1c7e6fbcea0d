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
      if (!stored[word]) exchange(word, shown_, before_);
  }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  static constexpr size_t kWord = sizeof(uint32_t);

  // Unless the word is another one meanwhile.
  void exchange(size_t word, const std::vector<std::byte>& from, const std::vector<std::byte>& to) {
    uint32_t expected = 0, wanted = 0;
    std::memcpy(&expected, &from[word * kWord], kWord);
    std::memcpy(&wanted, &to[word * kWord], kWord);
    if (expected == wanted) return;
    std::atomic_ref(reinterpret_cast<uint32_t&>(memory_[word * kWord])).compare_exchange_strong(expected, wanted);
  }

  EmulatedDevice& device_;
  const Range range_;
  std::span<std::byte> memory_;
  std::vector<std::byte> before_, shown_;
};

}  // namespace lockstep
