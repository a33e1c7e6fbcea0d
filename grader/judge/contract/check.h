// check: the input and the answer of one call → the first element that is wrong, or nothing.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "grader/judge/base/bytes.h"

namespace warpladder {

// The first wrong element of an answer.
struct Mismatch {
  std::string where;      // "out[33]", "the returned sum"
  std::string got, want;  // got is "nothing (never written)" where the poison is still there
  std::string tolerance;  // "" where the answer must be exact
  size_t wrong = 1, of = 1;
};

struct Answer {
  View out;
  int64_t value;  // the returned value of the function
};

// Each takes the entry, the input and the answer.
std::optional<Mismatch> check_saxpy(std::string_view entry, View in, const Answer& answer);
std::optional<Mismatch> check_scan(std::string_view entry, View in, const Answer& answer);
std::optional<Mismatch> check_reduction(std::string_view entry, View in, const Answer& answer);
std::optional<Mismatch> check_histogram(std::string_view entry, View in, const Answer& answer);

}  // namespace warpladder
