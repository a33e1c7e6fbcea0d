// oracle: an input → the expected answer, computed one element after the other in double or in exact integers, and how
// far a sum of floats may be from the true sum. That bound follows from the input and the number of additions. It is
// never tuned.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <type_traits>

#include "grader/judge/base/bytes.h"

namespace warpladder {

inline constexpr float kSaxpyA = 2.5f;  // as in common/contracts/saxpy.h
inline constexpr size_t kBins = 256;    // as in common/contracts/histogram.h

bool is_inclusive(std::string_view entry);  // of the entries of a scan: scan_inclusive, scan_inclusive_cpu

// In what numbers the sums of T are computed: doubles are far finer than floats, and unsigned integers wrap.
template <class T>
struct SumsOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct SumsOf<float> {
  using type = double;
};
template <class T>
using Sum = typename SumsOf<T>::type;

// a · x[i] + y[i], where `in` holds x and then y. It is exact: a double holds the product of two floats and its sum
// with a third one of similar size. The same loop in float is the serial baseline.
template <class T = double>
std::vector<T> saxpy_oracle(std::span<const float> in, float a) {
  std::vector<T> out(in.size() / 2);
  for (size_t i = 0; i < out.size(); ++i)
    out[i] = static_cast<T>(a) * static_cast<T>(in[i]) + static_cast<T>(in[out.size() + i]);
  return out;
}

// out[i] is the sum of the elements up to i, with (inclusive) or without (exclusive) element i. Sums of integers are
// those of unsigned arithmetic, which wraps, in two's complement.
std::vector<double> scan_oracle(std::span<const float> in, bool inclusive);
std::vector<int32_t> scan_oracle(std::span<const int32_t> in, bool inclusive);
std::vector<int64_t> scan_oracle(std::span<const int64_t> in, bool inclusive);

// The last element of an inclusive scan; 0 if there is none.
double sum_oracle(std::span<const float> in);
int32_t sum_oracle(std::span<const int32_t> in);
int64_t sum_oracle(std::span<const int64_t> in);

using Counts = std::array<uint32_t, kBins>;
Counts histogram_oracle(View in);

// True if these numbers, or any of them, sum exactly in every order. That is so if all are multiples of one power of
// two, and their magnitudes sum to at most 2^24 times that power: then a float holds every partial sum.
bool sums_exactly(std::span<const float> values);

// The largest error of a chain of k float additions, rounded to nearest, where the magnitudes add up to `magnitude`:
// γ(k) · magnitude, γ(k) = k·u / (1 - k·u), u = 2^-24. No order of adding k + 1 numbers has a longer chain.
double rounding_bound(size_t additions, double magnitude);

// Σ|x|
double magnitude_of(std::span<const float> values);

// False if `got` or `want` is a NaN.
inline bool within(double got, double want, double tolerance) {
  const double distance = got > want ? got - want : want - got;
  return distance <= tolerance;
}

}  // namespace warpladder
