#include "device/other_input.h"

#include <algorithm>
#include <cstring>

namespace lockstep {
namespace {

constexpr size_t kWord = 4;
constexpr uint32_t kFirst = 0x3e800000, kMask = (1u << 25) - 1;
constexpr uint32_t kFactor = 0x9e3779b1;
constexpr size_t kNoPlace = ~size_t{};

// Its product with kFactor is 1 modulo 2^32, and so modulo 2^25. Each step of Newton's doubles the bits that are right.
constexpr uint32_t inverse() {
  uint32_t value = kFactor;  // three bits are right
  for (int step = 0; step < 4; ++step) value *= 2 - kFactor * value;
  return value;
}
static_assert(inverse() * kFactor == 1);

}  // namespace

// The place in the given input, in bytes, of the word that lies at data[at].
size_t OtherInput::place_of(std::span<const std::byte> data, size_t at) const {
  if (at + kWord > data.size()) return kNoPlace;
  uint32_t word = 0;
  std::memcpy(&word, &data[at], kWord);
  if (word - kFirst > kMask) return kNoPlace;
  const size_t place = size_t{((word - kFirst) * inverse()) & kMask} * kWord;
  return place + kWord <= given_.size() && !std::memcmp(&given_[place], &word, kWord) ? place : kNoPlace;
}

bool OtherInput::continues(size_t place) const {
  const auto known = std::span(ends_).first(std::min(parts_, ends_.size()));
  return std::ranges::find(known, place) != known.end();
}

void OtherInput::replace(std::span<std::byte> data) {
  size_t expected = kNoPlace;
  for (size_t at = 0; at + kWord <= data.size(); at += kWord) {
    const size_t place = place_of(data, at);
    const bool goes_on = place != kNoPlace && place == expected;
    if (!goes_on && expected != kNoPlace) ends_[parts_++ % ends_.size()] = expected;
    expected = kNoPlace;
    if (place == kNoPlace || (!goes_on && !continues(place) && place_of(data, at + kWord) != place + kWord)) continue;
    std::memcpy(&data[at], &other_[place], kWord);
    expected = place + kWord;
  }
  if (expected != kNoPlace) ends_[parts_++ % ends_.size()] = expected;
}

}  // namespace lockstep
