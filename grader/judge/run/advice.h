// advice: a wrong answer → the one next step that its facts suggest. The first rule that fits is taken.
#pragma once

#include <optional>

#include "grader/judge/base/mismatch.h"
#include "grader/judge/cases/cases.h"

namespace warpladder {

struct Advice {
  std::string name;  // "by_hand" where no fact says more
  Message text;
};

Advice advice_for(const Mismatch& wrong, const Case& job);

// What the bytes that came to the host during the call say, if they are the cause: none came where the host needs
// some, or a number of them that are not whole elements.
std::optional<Advice> advice_on_copies(const Mismatch& wrong, const Case& job, size_t bytes);

}  // namespace warpladder
