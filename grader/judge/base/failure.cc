#include "grader/judge/base/failure.h"

namespace warpladder {

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::kAccepted: return "accepted";
    case Verdict::kWrongAnswer: return "wrong answer";
    case Verdict::kRuleBroken: return "rule broken";
    case Verdict::kTooSlow: return "too slow";
    case Verdict::kInconclusive: return "inconclusive";
    case Verdict::kCompileError: return "compile error";
    case Verdict::kRuntimeError: return "runtime error";
    case Verdict::kTime: return "time";
    case Verdict::kMemory: return "memory";
    case Verdict::kOutputLimit: return "output limit";
    case Verdict::kCheating: return "cheating suspected";
    case Verdict::kJudgeFault: return "judge fault";
  }
  return "judge fault";
}

bool leaves_answers_right(const Failure& failure) {
  if (failure.verdict == Verdict::kTooSlow || failure.verdict == Verdict::kInconclusive) return true;
  if (failure.verdict != Verdict::kRuleBroken) return false;
  return failure.check.starts_with("rule.") || failure.check == "finding.leak" ||
         failure.check == "finding.unchecked_error";
}

bool covers(std::string_view expected, std::string_view check) {
  if (!check.starts_with(expected)) return false;
  return check.size() == expected.size() || check[expected.size()] == '.';
}

}  // namespace warpladder
