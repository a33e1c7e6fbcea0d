// tolerance: how far a sum of floats may be from the true sum. The bound follows from the input and the number of
// additions. It is never tuned.
#pragma once

#include <cstddef>
#include <span>

namespace warpladder {

// True if these numbers, or any of them, sum exactly in every order. That is so if all are multiples of one power of
// two, and their magnitudes sum to at most 2^24 times that power: then a float holds every partial sum.
bool sums_exactly(std::span<const float> values);

// The largest error of a chain of k float additions, rounded to nearest, where the magnitudes add up to `magnitude`:
// γ(k) · magnitude, γ(k) = k·u / (1 - k·u), u = 2^-24. No order of adding k + 1 numbers has a longer chain.
double rounding_bound(size_t additions, double magnitude);

// False if `got` or `want` is a NaN.
inline bool within(double got, double want, double tolerance) {
  const double distance = got > want ? got - want : want - got;
  return distance <= tolerance;
}

}  // namespace warpladder
