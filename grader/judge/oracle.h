// oracle: the expected answers, computed one element after the other in double or in exact integers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "grader/judge/bytes.h"

namespace warpladder {

inline constexpr float kSaxpyA = 2.5f;  // as in common/contracts/saxpy.h

// a · x[i] + y[i], where `in` is x and then y. Exact: a product of two floats and its sum with a third of like size
// fit a double.
std::vector<double> saxpy_oracle(std::span<const float> in, float a);

// out[i] is the sum of the elements up to i, with (inclusive) or without (exclusive) element i.
std::vector<double> scan_oracle(std::span<const float> in, bool inclusive);

// Modulo 2^32, as a two's complement int.
int32_t sum_oracle(std::span<const int32_t> in);

std::array<uint64_t, 256> histogram_oracle(View in);

}  // namespace warpladder
