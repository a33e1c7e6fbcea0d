// random: numbers that depend on a seed and a name alone, so that they are the same on every machine. (The standard's
// distributions differ from library to library.)
#pragma once

#include <cstdint>
#include <random>
#include <string_view>

namespace warpladder {

// The seed of one case: the same case under the same seed always gets the same input.
inline uint64_t seed_of(uint64_t seed, std::string_view name) {
  uint64_t hash = 0xCBF29CE484222325u ^ (seed * 0x9E3779B97F4A7C15u);  // FNV-1a
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
  return hash ^ (hash >> 29);
}

class Random {
 public:
  explicit Random(uint64_t seed) : engine_(seed) {}
  uint64_t bits() { return engine_(); }
  // From 0 to bound - 1, with bound at most 2^32. The bias is at most bound / 2^32, too small to matter here.
  uint64_t below(uint64_t bound) { return ((engine_() >> 32) * bound) >> 32; }

 private:
  std::mt19937_64 engine_;
};

}  // namespace warpladder
