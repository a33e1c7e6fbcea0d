#include "grader/judge/contract/inputs.h"

#include <algorithm>
#include <stdexcept>
#include <string>

#include "grader/judge/base/random.h"

namespace warpladder {
namespace {

constexpr float kGrid = 1.0f / 16;     // every float is a multiple of it, except the rough ones
constexpr uint64_t kExact = 1u << 24;  // a float holds every integer up to here

[[noreturn]] void unknown(std::string_view kind) { throw std::logic_error("no input kind " + std::string(kind)); }

// The largest value to use, in grid units, so that n values sum exactly.
int64_t range_for(size_t n) {
  return static_cast<int64_t>(std::clamp<uint64_t>(kExact / std::max<size_t>(n, 1), 1, 1000));
}

}  // namespace

std::vector<float> make_floats(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  const int64_t range = range_for(n);
  const auto grid = [](int64_t units) { return static_cast<float>(units) * kGrid; };
  std::vector<float> values(n, 0.0f);
  if (kind == "random") {
    for (float& v : values) v = grid(static_cast<int64_t>(random.below(2 * range + 1)) - range);
  } else if (kind == "ones") {
    std::ranges::fill(values, 1.0f);
  } else if (kind == "alternating") {
    for (size_t i = 0; i < n; ++i) values[i] = grid(i % 2 == 0 ? range : -range);
  } else if (kind == "spike") {
    if (n > 0) values[random.below(n)] = 1000.0f + kGrid;
  } else if (kind == "increasing") {
    for (size_t i = 0; i < n; ++i) values[i] = grid(static_cast<int64_t>(i * static_cast<size_t>(range) / n));
  } else if (kind == "rough") {
    // 24 random bits and a sign: -1 < v < 1.
    for (float& v : values) v = static_cast<float>(static_cast<int64_t>(random.below(1u << 25)) - (1 << 24)) * 0x1p-24f;
  } else {
    unknown(kind);
  }
  return values;
}

std::vector<int32_t> make_ints(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  std::vector<int32_t> values(n, 0);
  if (kind == "random") {
    for (int32_t& v : values) v = static_cast<int32_t>(random.bits());
  } else if (kind == "ones") {
    std::ranges::fill(values, 1);
  } else if (kind == "alternating") {
    for (size_t i = 0; i < n; ++i) values[i] = i % 2 == 0 ? 3 : -2;
  } else if (kind == "spike") {
    if (n > 0) values[random.below(n)] = 1'000'003;
  } else if (kind == "increasing") {
    for (size_t i = 0; i < n; ++i) values[i] = static_cast<int32_t>(i);
  } else {
    unknown(kind);
  }
  return values;
}

Bytes make_raw_bytes(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  Bytes bytes(n);
  if (kind == "random") {
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
      const uint64_t eight = random.bits();
      std::memcpy(bytes.data() + i, &eight, std::min(sizeof eight, n - i));
    }
  } else if (kind == "constant") {
    std::ranges::fill(bytes, static_cast<std::byte>(random.below(256)));
  } else if (kind == "skewed") {
    // The leading zeros of a random number: half of all bytes are in one bin, a quarter in the next, and so on.
    for (std::byte& b : bytes) b = static_cast<std::byte>(64 + std::countl_zero(random.bits() | 1));
  } else if (kind == "alternating") {
    for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i % 2 == 0 ? 0 : 255);
  } else if (kind == "increasing") {
    for (size_t i = 0; i < n; ++i) bytes[i] = static_cast<std::byte>(i % 256);
  } else {
    unknown(kind);
  }
  return bytes;
}

}  // namespace warpladder
