// tolerance: how far a sum of floats may be from the true one, and why. Derived from the input and the number of
// additions, never tuned.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace warpladder {

// True if every order of adding these numbers, or any of them, is exact: all are multiples of one power of two, and
// their magnitudes sum to at most 2^24 of it, so that each partial sum is a multiple that a float holds.
bool sums_exactly(std::span<const float> values);

// The error that k additions one after the other can make on a sum whose magnitudes add up to `magnitude`, for
// round-to-nearest floats: γ(k) · magnitude, γ(k) = k·u / (1 - k·u), u = 2^-24. No order of k + 1 numbers is longer.
double rounding_bound(size_t additions, double magnitude);

// False for a NaN on either side.
inline bool within(double got, double want, double tolerance) {
  const double distance = got > want ? got - want : want - got;
  return distance <= tolerance;
}

}  // namespace warpladder
