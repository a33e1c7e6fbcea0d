// culprit: a finding in a process that ran many cases → the first case that shows it by itself. A finding belongs to a
// whole process; a person wants the smallest case, with its counts, and a command that shows just that.
#pragma once

#include "grader/judge/cases/cases.h"
#include "grader/judge/rules/report.h"
#include "grader/judge/run/surroundings.h"

namespace warpladder {

struct Culprit {
  const Case* job;                // one of the cases
  Report report;                  // of a process that ran nothing else
  std::optional<Failure> answer;  // the failure of its answer; nothing: the answer is right
};

// The cases, the simplest first, and the failure that their finding means. A smaller case may show another side of the
// mistake, for which lockstep gives another advice: the case must lead to the same next step. Nothing: none shows it by
// itself, for example since the code remembers earlier calls. It runs about log2(cases) processes.
std::optional<Culprit> find_culprit(SubmissionSpec spec, const std::vector<Case>& cases, const Failure& cause);

}  // namespace warpladder
