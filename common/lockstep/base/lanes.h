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

// Some lanes of one warp of a block.
struct Lanes {
  uint32_t warp = 0;
  Mask mask = 0;
};

// The values of a register, lane 0 first. `offset`: the register's bytes from the start of the frame.
template <class T>
T* lanes(std::byte* registers, uint32_t offset) {
  return reinterpret_cast<T*>(registers + offset);
}

}  // namespace lockstep
