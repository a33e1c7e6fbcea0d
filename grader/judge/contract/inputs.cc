#include "grader/judge/contract/inputs.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <map>
#include <stdexcept>
#include <string>

#include "grader/judge/base/random.h"

namespace warpladder {
namespace {

constexpr float kGrid = 1.0f / 16;     // every float is a multiple of it, except the rough ones
constexpr uint64_t kExact = 1u << 24;  // a float holds every integer up to here

// kind → the function that fills its array, which holds zeros
template <class T>
using Kinds = std::map<std::string_view, std::function<void(std::vector<T>&)>>;

// Element i becomes element(i).
auto each(auto element) {
  return [element](auto& values) {
    for (size_t i = 0; i < values.size(); ++i) values[i] = element(i);
  };
}

template <class T>
std::vector<T> filled(const Kinds<T>& kinds, std::string_view kind, size_t n) {
  const auto found = kinds.find(kind);
  if (found == kinds.end()) throw std::logic_error("no input kind " + std::string(kind));
  std::vector<T> values(n);
  found->second(values);
  return values;
}

// One element that is not 0, at any place.
auto spike(auto value, Random& random) {
  return [value, &random](auto& values) {
    if (!values.empty()) values[random.below(values.size())] = value;
  };
}

// The largest value to use, in grid units, so that n values sum exactly.
int64_t range_for(size_t n) {
  return static_cast<int64_t>(std::clamp<uint64_t>(kExact / std::max<size_t>(n, 1), 1, 1000));
}

}  // namespace

std::vector<float> make_floats(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  const int64_t range = range_for(n);
  const auto grid = [](int64_t units) { return static_cast<float>(units) * kGrid; };
  const Kinds<float> kinds = {
      {"random", each([&](size_t) { return grid(static_cast<int64_t>(random.below(2 * range + 1)) - range); })},
      {"ones", each([](size_t) { return 1.0f; })},
      {"alternating", each([&](size_t i) { return grid(i % 2 == 0 ? range : -range); })},
      {"spike", spike(1000.0f + kGrid, random)},
      {"increasing", each([&](size_t i) { return grid(static_cast<int64_t>(i * static_cast<size_t>(range) / n)); })},
      // 24 random bits and a sign: -1 < v < 1.
      {"rough", each([&](size_t) {
         return static_cast<float>(static_cast<int64_t>(random.below(1u << 25)) - (1 << 24)) * 0x1p-24f;
       })}};
  return filled(kinds, kind, n);
}

template <class T>
std::vector<T> make_ints(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  constexpr auto kSpike = static_cast<T>(0x000F4243'000F4243);  // 1,000,003, in each half of a long
  const Kinds<T> kinds = {{"random", each([&](size_t) { return static_cast<T>(random.bits()); })},
                          {"ones", each([](size_t) { return T{1}; })},
                          {"alternating", each([](size_t i) { return T{i % 2 == 0 ? 3 : -2}; })},
                          {"spike", spike(kSpike, random)},
                          {"increasing", each([](size_t i) { return static_cast<T>(i); })}};
  return filled(kinds, kind, n);
}
template std::vector<int32_t> make_ints(std::string_view kind, size_t n, uint64_t seed);
template std::vector<int64_t> make_ints(std::string_view kind, size_t n, uint64_t seed);

Bytes make_raw_bytes(std::string_view kind, size_t n, uint64_t seed) {
  Random random(seed);
  const auto eight_at_once = [&](Bytes& bytes) {
    for (size_t i = 0; i < n; i += sizeof(uint64_t)) {
      const uint64_t eight = random.bits();
      std::memcpy(bytes.data() + i, &eight, std::min(sizeof eight, n - i));
    }
  };
  const Kinds<std::byte> kinds = {
      {"random", eight_at_once},
      {"constant", [&](Bytes& bytes) { std::ranges::fill(bytes, static_cast<std::byte>(random.below(256))); }},
      // The leading zeros of a random number: half of all bytes are in one bin, a quarter in the next, and so on.
      {"skewed", each([&](size_t) { return static_cast<std::byte>(64 + std::countl_zero(random.bits() | 1)); })},
      {"alternating", each([](size_t i) { return static_cast<std::byte>(i % 2 == 0 ? 0 : 255); })},
      {"increasing", each([](size_t i) { return static_cast<std::byte>(i % 256); })}};
  return filled(kinds, kind, n);
}

}  // namespace warpladder
