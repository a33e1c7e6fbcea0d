#include "grader/judge/contract/tolerance.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpladder {

namespace {

// The weight of the lowest bit that is set in a float's mantissa: the largest power of two that divides the float.
double lowest_bit(float value) {
  int exponent = 0;
  const auto mantissa = static_cast<uint32_t>(std::fabs(std::frexp(value, &exponent)) * 0x1p24f);
  return std::ldexp(1.0, exponent - 24 + std::countr_zero(mantissa));
}

}  // namespace

bool sums_exactly(std::span<const float> values) {
  double grid = std::numeric_limits<double>::infinity();
  double magnitude = 0;
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
    if (value != 0) grid = std::min(grid, lowest_bit(value));
    magnitude += std::fabs(static_cast<double>(value));
  }
  return magnitude == 0 || magnitude <= 0x1p24 * grid;
}

double rounding_bound(size_t additions, double magnitude) {
  const double ku = static_cast<double>(additions) * 0x1p-24;
  if (ku >= 1) return std::numeric_limits<double>::infinity();
  return ku / (1 - ku) * magnitude;
}

}  // namespace warpladder
