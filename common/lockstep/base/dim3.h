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

std::string text(const Dim3& d);  // "(1,0,0)"

}  // namespace lockstep
