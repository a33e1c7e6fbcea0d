#include "grader/judge/contract/oracle.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

namespace warpladder {
namespace {

// The weight of the lowest bit that is set in a float's mantissa: the largest power of two that divides the float.
double lowest_bit(float value) {
  int exponent = 0;
  const auto mantissa = static_cast<uint32_t>(std::fabs(std::frexp(value, &exponent)) * 0x1p24f);
  return std::ldexp(1.0, exponent - 24 + std::countr_zero(mantissa));
}

template <class Out, class T>
std::vector<Out> scan_of(std::span<const T> in, bool inclusive) {
  std::vector<Out> out(in.size());
  Sum<T> sum = 0;
  for (size_t i = 0; i < in.size(); ++i) {
    const Sum<T> before = sum;
    sum += static_cast<Sum<T>>(in[i]);
    out[i] = static_cast<Out>(inclusive ? sum : before);
  }
  return out;
}

template <class Out, class T>
Out sum_of(std::span<const T> in) {
  Sum<T> sum = 0;
  for (const T value : in) sum += static_cast<Sum<T>>(value);
  return static_cast<Out>(sum);
}

}  // namespace

bool is_inclusive(std::string_view entry) { return entry.starts_with("scan_inclusive"); }

std::vector<double> scan_oracle(std::span<const float> in, bool inclusive) { return scan_of<double>(in, inclusive); }
std::vector<int32_t> scan_oracle(std::span<const int32_t> in, bool inclusive) {
  return scan_of<int32_t>(in, inclusive);
}
std::vector<int64_t> scan_oracle(std::span<const int64_t> in, bool inclusive) {
  return scan_of<int64_t>(in, inclusive);
}

double sum_oracle(std::span<const float> in) { return sum_of<double>(in); }
int32_t sum_oracle(std::span<const int32_t> in) { return sum_of<int32_t>(in); }
int64_t sum_oracle(std::span<const int64_t> in) { return sum_of<int64_t>(in); }

Counts histogram_oracle(View in) {
  Counts counts{};
  for (const std::byte value : in) ++counts[static_cast<unsigned char>(value)];
  return counts;
}

bool sums_exactly(std::span<const float> values) {
  double grid = std::numeric_limits<double>::infinity();
  for (const float value : values) {
    if (!std::isfinite(value)) return false;
    if (value != 0) grid = std::min(grid, lowest_bit(value));
  }
  const double magnitude = magnitude_of(values);
  return magnitude == 0 || magnitude <= 0x1p24 * grid;
}

double magnitude_of(std::span<const float> values) {
  double magnitude = 0;
  for (const float value : values) magnitude += std::fabs(static_cast<double>(value));
  return magnitude;
}

double rounding_bound(size_t additions, double magnitude) {
  const double ku = static_cast<double>(additions) * 0x1p-24;
  if (ku >= 1) return std::numeric_limits<double>::infinity();
  return ku / (1 - ku) * magnitude;
}

}  // namespace warpladder
