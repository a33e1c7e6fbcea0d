// returned: whether what came back of a case's arrays is as it must be, apart from the answer: the guard bands around
// them, and an input that is constant. Empty: nothing wrong; else what is, with the array's and the element's name.
#pragma once

#include <optional>
#include <string>

#include "common/runner/protocol.h"
#include "grader/judge/bytes.h"

namespace warpladder {

std::optional<std::string> broken_guard(View result, const ResultLayout& layout, size_t in_element, size_t out_element);
std::optional<std::string> changed_input(View before, View after, size_t element_bytes);

}  // namespace warpladder
