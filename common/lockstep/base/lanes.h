// lanes: the 32 lanes of a warp, sets of lanes, and their values in a register.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace lockstep {

inline constexpr int kWarpSize = 32;
using Mask = uint32_t;
inline constexpr Mask kFullMask = 0xffffffffu;

// The lowest lane of a mask. The mask must not be empty.
inline uint32_t first_lane(Mask mask) { return static_cast<uint32_t>(std::countr_zero(mask)); }

// for (const uint32_t l : each_lane(mask)): the lanes of a mask, the lowest first.
struct EachLane {
  Mask rest;
  EachLane begin() const { return *this; }
  EachLane end() const { return {0}; }
  uint32_t operator*() const { return first_lane(rest); }
  void operator++() { rest &= rest - 1; }
  bool operator!=(const EachLane& other) const { return rest != other.rest; }
};
inline EachLane each_lane(Mask mask) { return {mask}; }

// The lanes of `mask` that hold this value.
template <class T>
Mask lanes_with(const T* values, T value, Mask mask) {
  Mask same = 0;
  for (int l = 0; l < kWarpSize; ++l) same |= static_cast<Mask>(values[l] == value) << l;
  return same & mask;
}

// Some lanes of one warp of a block.
struct Lanes {
  uint32_t warp = 0;
  Mask mask = 0;
  bool operator==(const Lanes&) const = default;
};

// The values of a register, lane 0 first. `offset`: the register's bytes from the start of the frame.
template <class T>
T* lanes(std::byte* registers, uint32_t offset) {
  return reinterpret_cast<T*>(registers + offset);
}

// Gives the predicate at the offset this value in the lanes of `mask`. Offset 0: it is not wanted.
inline void set_predicate(std::byte* registers, uint32_t offset, Mask value, Mask mask) {
  if (offset == 0) return;
  Mask& predicate = *lanes<Mask>(registers, offset);
  predicate = (predicate & ~mask) | (value & mask);
}

}  // namespace lockstep
