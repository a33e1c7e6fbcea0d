// oracle: an input → the expected answer, computed one element after the other in double or in exact integers.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "grader/judge/base/bytes.h"

namespace warpladder {

inline constexpr float kSaxpyA = 2.5f;  // as in common/contracts/saxpy.h
inline constexpr size_t kBins = 256;    // as in common/contracts/histogram.h

bool is_inclusive(std::string_view entry);  // of the entries of a scan: scan_inclusive, scan_inclusive_cpu

// a · x[i] + y[i], where `in` holds x and then y. It is exact: a double holds the product of two floats and its sum
// with a third one of similar size.
std::vector<double> saxpy_oracle(std::span<const float> in, float a);

// out[i] is the sum of the elements up to i, with (inclusive) or without (exclusive) element i.
std::vector<double> scan_oracle(std::span<const float> in, bool inclusive);

// The sum modulo 2^32, as a two's complement int.
int32_t sum_oracle(std::span<const int32_t> in);

std::array<uint64_t, kBins> histogram_oracle(View in);

}  // namespace warpladder
