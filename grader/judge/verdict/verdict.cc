#include "grader/judge/verdict/verdict.h"

#include <algorithm>
#include <functional>

namespace warpladder {
namespace {

template <class IsCounted>
Tally tally(const std::vector<CaseResult>& cases, IsCounted is_counted) {
  Tally tally;
  for (const CaseResult& one : cases) {
    if (is_counted(one)) ++(one.passed ? tally.passed : tally.failed);
  }
  return tally;
}

}  // namespace

Tally Result::public_cases() const { return tally(cases, std::not_fn(&CaseResult::is_hidden)); }
Tally Result::hidden_cases() const { return tally(cases, std::mem_fn(&CaseResult::is_hidden)); }

Verdict Result::verdict() const {
  if (failure) return failure->verdict;
  return speed.verdict == SpeedVerdict::kInconclusive ? Verdict::kInconclusive : Verdict::kAccepted;
}

bool Result::is_right() const {
  return (!failure || leaves_answers_right(*failure)) && std::ranges::all_of(cases, &CaseResult::passed);
}

}  // namespace warpladder
