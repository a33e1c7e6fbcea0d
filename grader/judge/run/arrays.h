// arrays: whether the arrays of a case came back intact, apart from the answer: the guard bands around them, and the
// input where it is constant. Each function returns nothing, or a text that names the array and the element.
#pragma once

#include <optional>
#include <string>

#include "common/runner/protocol.h"
#include "grader/judge/base/bytes.h"

namespace warpladder {

std::optional<std::string> broken_guard(View result, const ResultLayout& layout, size_t in_element, size_t out_element);
std::optional<std::string> changed_input(View before, View after, size_t element_bytes);

}  // namespace warpladder
