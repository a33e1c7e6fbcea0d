// advice: a wrong answer → the one next step that its facts suggest. The first rule that fits is taken.
#pragma once

#include "grader/judge/base/mismatch.h"
#include "grader/judge/cases/cases.h"

namespace warpladder {

struct Advice {
  std::string name;  // "by_hand" where no fact says more
  std::string text;
};

Advice advice_for(const Mismatch& wrong, const Case& job);

}  // namespace warpladder
