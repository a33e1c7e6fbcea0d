#include "grader/judge/run/arrays.h"

#include <algorithm>

namespace warpladder {
namespace {

// The distance from `at` of the first byte that has changed in the guard band there. Nothing: none has.
std::optional<size_t> first_broken(View result, size_t at, size_t guard) {
  for (size_t i = 0; i < guard; ++i) {
    if (result[at + i] != static_cast<std::byte>(guard_byte(i))) return i;
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::string> broken_guard(View result, const ResultLayout& layout, size_t in_element,
                                        size_t out_element) {
  struct Band {
    const char* array;
    size_t start, bytes, element;
  };
  const Band arrays[] = {{"the input", layout.in_guarded(), layout.in_bytes, in_element},
                         {"the output", layout.out_guarded(), layout.out_bytes, out_element}};
  for (const Band& array : arrays) {
    if (const auto at = first_broken(result, array.start, layout.guard)) {
      return std::to_string(layout.guard - *at) + " bytes before the first element of " + array.array +
             " were overwritten";
    }
    if (const auto at = first_broken(result, array.start + layout.guard + array.bytes, layout.guard)) {
      return "element " + std::to_string((array.bytes + *at) / array.element) + " of " + array.array +
             " was written, which has " + std::to_string(array.bytes / array.element);
    }
  }
  return std::nullopt;
}

std::optional<std::string> changed_input(View before, View after, size_t element_bytes) {
  if (before.empty() || std::memcmp(before.data(), after.data(), before.size()) == 0) return std::nullopt;
  const auto [was, is] = std::ranges::mismatch(before, after);
  const auto at = static_cast<size_t>(was - before.begin()) / element_bytes;
  return "element " + std::to_string(at) + " of the input was changed, which the contract declares const";
}

}  // namespace warpladder
