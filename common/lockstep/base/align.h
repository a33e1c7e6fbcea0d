// align: rounding up to whole units.
#pragma once

#include <cstdint>

namespace lockstep {

template <class T>
constexpr T align_up(T value, uint64_t unit) {
  return static_cast<T>((value + unit - 1) / unit * unit);
}

}  // namespace lockstep
