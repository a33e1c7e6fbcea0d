// dim3: the shape of a grid or a block, or the coordinates of one block or thread.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

struct Dim3 {
  uint32_t x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t{x} * y * z; }
  auto operator<=>(const Dim3&) const = default;
};

// The coordinates of item number `linear` of a grid or block, x first: of the block in its grid, in the order in which
// blocks start, or of the thread in its block.
inline Dim3 index_in(const Dim3& shape, uint64_t linear) {
  const uint64_t plane = uint64_t{shape.x} * shape.y;
  return {static_cast<uint32_t>(linear % shape.x), static_cast<uint32_t>(linear % plane / shape.x),
          static_cast<uint32_t>(linear / plane)};
}

// "(1,0,0)"
inline std::string text(const Dim3& d) {
  return "(" + std::to_string(d.x) + "," + std::to_string(d.y) + "," + std::to_string(d.z) + ")";
}

}  // namespace lockstep
