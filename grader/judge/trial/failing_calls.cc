#include "grader/judge/trial/failing_calls.h"

#include <chrono>

#include "grader/judge/rules/findings.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/run/submission.h"

namespace warpladder {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMostFailing = 200;  // calls of a function: a loop of calls need not fail in every turn
// For each entry, in units of the time that a case may take: 200 calls of that length would take half an hour. In this
// time every call of a lab's own code fails ten times over. A call that is not reached counts as checked.
constexpr double kFailingCases = 5;

// False: the code does not make so many calls, or there is a failure.
bool let_call_fail(SubmissionSpec spec, const Case& job, int call, Ledger& ledger) {
  const double seconds = spec.lab->limits.one_case;
  spec.largest_n = job.n;
  spec.failing_call = call;
  Submission submission(spec);
  if (auto failure = submission.start()) return ledger.fail_at_start(std::move(*failure)), false;
  submission.give(input_of(*spec.lab, job));
  const Submission::Reaction reaction = submission.react(job, seconds);
  if (reaction == Submission::Reaction::kNoticed) return true;
  if (auto trouble = submission.device_trouble()) return ledger.fail(std::move(*trouble)), false;
  if (reaction == Submission::Reaction::kWentOn) {
    Failure failure = unchecked_failure(job.entry->name, call, submission.report());
    failure.printed = submission.printed();
    ledger.fail(std::move(failure));
  } else if (submission.report().empty()) {
    ledger.fail(runtime_failure(
        "a kernel of the program was still running " + seconds_text(seconds) + " after its function ended",
        "Let kernels come to an end, and wait for them before you return."));
  }
  return false;
}

}  // namespace

void let_calls_fail(const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger) {
  for (const Case& job : cases) {
    const auto deadline = Clock::now() + std::chrono::duration<double>(kFailingCases * spec.lab->limits.one_case);
    int call = 1;
    while (call <= kMostFailing && Clock::now() < deadline && let_call_fail(spec, job, call, ledger)) ++call;
    if (ledger.has_failure()) return;
  }
}

}  // namespace warpladder
