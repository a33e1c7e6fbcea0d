#include "grader/judge/base/failure.h"

namespace warpladder {

std::string_view name_of(Verdict verdict) {
  static constexpr std::string_view kNames[] = {
      later("accepted"),     later("wrong answer"),  later("rule broken"),        later("too slow"),
      later("inconclusive"), later("compile error"), later("runtime error"),      later("time"),
      later("memory"),       later("output limit"),  later("cheating suspected"), later("judge fault")};
  return kNames[static_cast<size_t>(verdict)];
}

Failure make_failure(Verdict verdict, const std::string& check, const Message& step, const Message& next_step,
                     const std::string& printed) {
  return {verdict, check, {step}, next_step, printed};
}

Failure compile_failure(const Message& step, const Message& next_step) {
  return make_failure(Verdict::kCompileError, "compile", step, next_step);
}

Failure runtime_failure(const Message& step, const Message& next_step) {
  return make_failure(Verdict::kRuntimeError, "runtime", step, next_step);
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
