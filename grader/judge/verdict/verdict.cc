#include "grader/judge/verdict/verdict.h"

#include <algorithm>

namespace warpladder {

Tally Result::tally(bool hidden) const {
  Tally tally;
  for (const CaseResult& one : cases) {
    if (one.is_hidden() == hidden) ++(one.passed ? tally.passed : tally.failed);
  }
  return tally;
}

Verdict Result::verdict() const {
  if (failure) return failure->verdict;
  return speed.verdict == SpeedVerdict::kInconclusive ? Verdict::kInconclusive : Verdict::kAccepted;
}

bool Result::is_right() const {
  return (!failure || leaves_answers_right(*failure)) && std::ranges::all_of(cases, &CaseResult::passed);
}

}  // namespace warpladder
