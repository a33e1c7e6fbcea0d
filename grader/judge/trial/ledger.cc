#include "grader/judge/trial/ledger.h"

#include <algorithm>
#include <utility>

#include "grader/judge/cases/hidden.h"
#include "grader/judge/rules/report.h"

namespace warpladder {

Ledger::Ledger(Setting setting, std::function<bool()> machine_works, Events events)
    : machine_works_(std::move(machine_works)), events_(events) {
  result_.setting = std::move(setting);
}

void Ledger::fail(Failure failure) {
  if (failure.verdict == Verdict::kJudgeFault) {
    require_machine(failure);
    failure.verdict = Verdict::kRuntimeError;
    failure.check = "runtime";
    failure.next_step =
        message("Another program runs on this machine: look at what yours does before the functions are called.");
  }
  const bool is_worse = is_right() && !leaves_answers_right(failure);
  const bool is_cheating = failure.verdict == Verdict::kCheating;
  if (result_.failure && !is_worse && !is_cheating) return;
  result_.failure = std::move(failure);
  is_explained_ = false;
}

void Ledger::explain(const Report& report) {
  if (result_.failure && !std::exchange(is_explained_, true)) warpladder::explain(report, *result_.failure);
}

void Ledger::fail_at_start(Failure failure) {
  if (failure.verdict != Verdict::kCompileError && failure.verdict != Verdict::kCheating) require_machine(failure);
  fail(std::move(failure));
}

void Ledger::fail_case(const Case& job, const std::string& schedule, Failure failure) {
  const bool is_earlier = result_.failure && result_.failure->verdict == Verdict::kWrongAnswer &&
                          failure.verdict == Verdict::kWrongAnswer && job.place < failed_place_;
  if (is_earlier) result_.failure.reset();
  if (is_earlier || is_right()) {
    result_.failed_case = job.name;
    failed_alias_ = job.alias;
    result_.failed_schedule = schedule;
    failed_place_ = job.place;
  }
  fail(std::move(failure));
}

void Ledger::fail_by(const JudgeFault& fault) {
  result_.failure = make_failure(Verdict::kJudgeFault, "judge", fault.said(),
                                 message("The code that was judged is not at fault: put this right and run again."));
}

void Ledger::require_machine(const Failure& failure) const {
  if (!machine_works_())
    throw JudgeFault(message("no program of this lab runs on this machine: {step}\n{printed}",
                             {{"step", failure.steps.front()}, {"printed", failure.printed}}));
}

void Ledger::add_case(const Case& job, bool passed) {
  result_.cases.push_back({job.name, job.input, job.n, passed, job.alias, job.seed, job.block, job.place});
  events_.ran_case(result_.cases.back(), result_);
}

void Ledger::sort_cases() { std::ranges::stable_sort(result_.cases, {}, &CaseResult::place); }

void Ledger::blame(Failure cause, const Case* culprit, const std::optional<Failure>& failed, const Message& call) {
  if (culprit != nullptr) {
    std::vector<Message> steps = {call};
    if (failed && failed->mismatch) {
      steps.push_back(message("{what}. This may have another cause than what follows:",
                              {{"what", lines_of(*failed->mismatch).front()}}));
    } else if (!failed && !leaves_answers_right(cause)) {
      steps.push_back(message("Its answer is right here, but only by luck."));
    }
    cause.steps.insert(cause.steps.begin(), steps.begin(), steps.end());
  }
  result_.failed_case = culprit != nullptr ? culprit->name : "";
  failed_alias_ = culprit != nullptr ? culprit->alias : "";
  result_.failure = std::move(cause);
}

void Ledger::in_secret(const std::function<void()>& work) {
  std::optional<Failure> before = std::exchange(result_.failure, std::nullopt);  // a broken rule at most
  failed_alias_.clear();
  try {
    work();
  } catch (const JudgeFault& fault) { fail_by(fault); }  // its text may tell a case, too
  if (result_.failure && !result_.failure->check.starts_with("rule.") &&
      !result_.failure->check.starts_with("speed.")) {
    const auto failed =
        std::ranges::find_if(result_.cases, [](const CaseResult& one) { return one.is_hidden() && !one.passed; });
    const std::string some = failed == result_.cases.end() ? "hidden" : failed->alias;
    const std::string alias = failed_alias_.empty() ? some : failed_alias_;
    result_.failure = hide(std::move(*result_.failure), std::exchange(result_.failed_case, ""), alias);
  }
  if (before && is_right()) result_.failure = std::move(before);
}

}  // namespace warpladder
