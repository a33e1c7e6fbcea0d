// steps: runs one step of a plan, in processes of the submission, and enters the results in the ledger.
#pragma once

#include "grader/judge/run/surroundings.h"
#include "grader/judge/speed/timing.h"
#include "grader/judge/trial/ledger.h"
#include "grader/judge/trial/plan.h"

namespace warpladder {

// spec: the binary, lab and device; the step decides the rest. seed: of the measured inputs.
void run_step(const Step& step, const SubmissionSpec& spec, const Below& below, uint64_t seed, Ledger& ledger);

}  // namespace warpladder
