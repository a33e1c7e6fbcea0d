// failing_calls: whether the code looks at the errors of CUDA's calls. lockstep lets one call after the other fail,
// each in a process of its own, and the code must notice.
#pragma once

#include <vector>

#include "grader/judge/run/submission_spec.h"
#include "grader/judge/trial/ledger.h"

namespace warpladder {

// One case for each entry. Ends after the first failure.
void let_calls_fail(const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger);

}  // namespace warpladder
