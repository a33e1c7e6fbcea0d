// timing: runs the measured case and takes its time: on a card, a submission and the rung below in turn; on the host,
// the contract's baselines. The results go into Speed.
#pragma once

#include "grader/judge/lab/lab.h"
#include "grader/judge/run/submission.h"
#include "grader/judge/speed/speed.h"

namespace warpladder {

// The solution of the rung below, the speedup's baseline: the folder of its lab, and its binary. "": there is none.
struct Below {
  std::filesystem::path folder, binary;

  std::filesystem::path report() const { return binary.empty() ? "" : binary.parent_path() / "report.json"; }
};

// Throws JudgeFault if the rung below fails.
std::optional<Failure> time_on_gpu(SubmissionSpec specification, const Below& below, uint64_t seed, Speed& speed);

// Times a plain loop, and the contract's work on every core.
void time_cpu(const Lab& lab, uint64_t seed, Speed& speed);

}  // namespace warpladder
