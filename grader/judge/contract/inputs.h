// inputs: (kind, size, seed) → the array of a case. common/contracts/NAME.json lists the kinds of a contract. Each kind
// shows a mistake: ones show a wrong count, a spike shows an element that is lost or counted twice, alternating values
// show a wrong order, increasing values show an element from the wrong index, constant and skewed bytes make many
// threads write to one counter.
#pragma once

#include <cstdint>
#include <string_view>

#include "grader/judge/base/bytes.h"

namespace warpladder {

// Multiples of 1/16 (ones: of 1). They are so small that n of them sum exactly in every order, up to n = 2^24. Only
// "rough" values fill the whole mantissa.
std::vector<float> make_floats(std::string_view kind, size_t n, uint64_t seed);
template <class T = int32_t>  // or int64_t
std::vector<T> make_ints(std::string_view kind, size_t n, uint64_t seed);
Bytes make_raw_bytes(std::string_view kind, size_t n, uint64_t seed);

}  // namespace warpladder
