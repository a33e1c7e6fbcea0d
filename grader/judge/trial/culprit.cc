#include "grader/judge/trial/culprit.h"

#include <span>

#include "grader/judge/run/process_failure.h"
#include "grader/judge/run/submission.h"

namespace warpladder {
namespace {

struct Seen {
  Report report;
  std::optional<Failure> answer;  // of the last case
  bool shows = false;
};

// Runs the cases in one process, as a batch does.
Seen look(const SubmissionSpec& spec, std::span<const Case> cases, const Failure& cause) {
  Submission submission(spec);
  Seen seen;
  if (submission.start()) return seen;
  for (const Case& job : cases) {
    submission.give(job, input_of(job));
    seen.answer = submission.run(job, spec.lab.limits.one_case);
    if (seen.answer && seen.answer->verdict != Verdict::kWrongAnswer) break;
  }
  submission.stop();
  const std::string text = submission.report();
  if (text.empty()) return seen;
  seen.report = parse_report(text);
  const auto found = cause_of(seen.report, !seen.answer);
  seen.shows =
      seen.report.is_whole && found && found->check == cause.check && found->next_step == cause.next_step.text();
  return seen;
}

}  // namespace

std::optional<Culprit> find_culprit(SubmissionSpec spec, const std::vector<Case>& cases, const Failure& cause) {
  spec.throws_killed = false;
  size_t without = 0, with = cases.size();  // the first cases up to here
  while (with - without > 1) {
    const size_t middle = (without + with) / 2;
    (look(spec, std::span(cases).first(middle), cause).shows ? with : without) = middle;
  }
  const Case& job = cases[with - 1];
  Seen alone = look(spec, std::span(&job, 1), cause);
  if (!alone.shows) return std::nullopt;
  return Culprit{&job, std::move(alone.report), std::move(alone.answer)};
}

}  // namespace warpladder
