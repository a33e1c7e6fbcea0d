#include "engine/other_words.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace lockstep {
namespace {

constexpr size_t kWord = sizeof(uint32_t);

std::vector<uint32_t> whole_words(const std::vector<std::byte>& bytes) {
  std::vector<uint32_t> words(bytes.size() / kWord);
  std::memcpy(words.data(), bytes.data(), words.size() * kWord);
  return words;
}

}  // namespace

OtherWords::OtherWords(const Range& range, std::vector<std::byte> own, std::vector<std::byte> other)
    : range_(range),
      memory_(reinterpret_cast<uint32_t*>(range.begin), (range.end - range.begin) / kWord),
      own_(whole_words(own)),
      other_(whole_words(other)),
      stored_(memory_.size()) {}

uint32_t OtherWords::seen(size_t word) {
  const bool stored = std::atomic_ref(stored_[word]).load(std::memory_order_acquire);
  const uint32_t now = std::atomic_ref(memory_[word]).load(std::memory_order_relaxed);
  return !stored && now == own_[word] ? other_[word] : now;
}

void OtherWords::read(std::byte* to, uint64_t address, uint64_t bytes) {
  for (uint64_t at = address; at < address + bytes;) {
    const uint64_t offset = at - range_.begin, skipped = offset % kWord;
    const size_t word = offset / kWord;
    const uint64_t part = std::min(kWord - skipped, address + bytes - at);
    if (word < memory_.size()) {
      const uint32_t value = seen(word);
      std::memcpy(to, reinterpret_cast<const std::byte*>(&value) + skipped, part);
    } else {
      std::memcpy(to, reinterpret_cast<const void*>(at), part);
    }
    to += part, at += part;
  }
}

void OtherWords::stores(uint64_t address, uint64_t bytes) {
  const size_t first = (address - range_.begin) / kWord, last = (address + bytes - 1 - range_.begin) / kWord;
  for (size_t word = first; word <= last && word < memory_.size(); ++word) {
    const std::atomic_ref stored(stored_[word]);
    if (stored.load(std::memory_order_relaxed)) continue;
    uint32_t expected = own_[word];
    std::atomic_ref(memory_[word]).compare_exchange_strong(expected, other_[word]);
    stored.store(1, std::memory_order_release);
  }
}

}  // namespace lockstep
