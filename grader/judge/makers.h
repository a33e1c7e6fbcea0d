// makers: the inputs of the cases. (kind, size, seed) → an array. Each kind is there for a mistake it shows:
// ones for a count that is off, a spike for an element that is lost or counted twice, alternating for an order mixed
// up, increasing for an element taken from the wrong place, constant and skewed bytes for threads that meet.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "grader/judge/bytes.h"

namespace warpladder {

// Multiples of 1/16 (ones: of 1), small enough for their number that float addition is exact in every order, up to
// n = 2^24. "rough" alone fills the whole mantissa.
std::vector<float> make_floats(std::string_view kind, size_t n, uint64_t seed);
std::vector<int32_t> make_ints(std::string_view kind, size_t n, uint64_t seed);
Bytes make_raw_bytes(std::string_view kind, size_t n, uint64_t seed);

inline constexpr std::string_view kFloatKinds[] = {"random", "ones", "alternating", "spike", "increasing", "rough"};
inline constexpr std::string_view kIntKinds[] = {"random", "ones", "alternating", "spike", "increasing"};
inline constexpr std::string_view kByteKinds[] = {"random", "constant", "skewed", "alternating", "increasing"};

}  // namespace warpladder
