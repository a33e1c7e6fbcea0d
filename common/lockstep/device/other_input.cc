#include "device/other_input.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

constexpr size_t kWord = 4, kWords = OtherInput::kBlock / kWord;
constexpr uint64_t kFactor = 0x9e3779b97f4a7c15;

uint64_t word(const std::byte* at) {
  uint32_t value = 0;
  std::memcpy(&value, at, sizeof value);
  return value + 1;
}

// A polynomial of the block's words. So the hash of the next block, one word later, follows in one step.
uint64_t hash_of(const std::byte* block) {
  uint64_t hash = 0;
  for (size_t i = 0; i < kWords; ++i) hash = hash * kFactor + word(block + i * kWord);
  return hash;
}

constexpr uint64_t power(size_t exponent) {
  uint64_t value = 1;
  while (exponent-- > 0) value *= kFactor;
  return value;
}

uint64_t next_hash(uint64_t hash, const std::byte* block) {
  return (hash - word(block) * power(kWords - 1)) * kFactor + word(block + OtherInput::kBlock);
}

}  // namespace

OtherInput::OtherInput(std::span<const std::byte> given, std::span<const std::byte> other)
    : given_(given), other_(other) {
  for (size_t at = 0; at + kBlock <= given.size(); at += kBlock) blocks_.emplace(hash_of(given.data() + at), at);
}

// The size of the input: not there.
size_t OtherInput::find(const std::byte* block, uint64_t hash) const {
  const auto [begin, end] = blocks_.equal_range(hash);
  const auto found =
      std::find_if(begin, end, [&](const auto& one) { return !std::memcmp(&given_[one.second], block, kBlock); });
  return found == end ? given_.size() : found->second;
}

// Replaces what is equal from data[at] and given_[offset] on. Returns where that ends in the data.
size_t OtherInput::take(std::span<std::byte> data, size_t at, size_t offset) {
  const size_t most = std::min(data.size() - at, given_.size() - offset);
  const auto* const begin = data.data() + at;
  const size_t length = static_cast<size_t>(std::mismatch(begin, begin + most, &given_[offset]).first - begin);
  std::memcpy(data.data() + at, &other_[offset], length);
  next_offset_ = offset + length;
  return at + length;
}

void OtherInput::replace(std::span<std::byte> data, uint64_t address) {
  size_t at = 0, done = 0;  // done: the end of the last part that was replaced
  if (address == next_address_ && next_offset_ < given_.size()) at = done = take(data, 0, next_offset_) / kWord * kWord;
  uint64_t hash = at + kBlock <= data.size() ? hash_of(&data[at]) : 0;
  while (at + kBlock <= data.size()) {
    size_t offset = find(&data[at], hash), start = at;
    if (offset == given_.size()) {
      if (at + kBlock + kWord <= data.size()) hash = next_hash(hash, &data[at]);
      at += kWord;
      continue;
    }
    // The part may have begun within the block before.
    while (start >= done + kWord && offset >= kWord &&
           !std::memcmp(&data[start - kWord], &given_[offset - kWord], kWord))
      start -= kWord, offset -= kWord;
    at = done = take(data, start, offset) / kWord * kWord;
    if (at + kBlock <= data.size()) hash = hash_of(&data[at]);
  }
  next_address_ = done > 0 ? address + done : 0;
}

}  // namespace lockstep
