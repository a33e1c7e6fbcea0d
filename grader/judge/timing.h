// timing: how long the measured case takes: by a submission on a card, beside the rung below; and its work on the host.
// Speed, the figures, is a part of the verdict.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>

#include "grader/judge/lab.h"
#include "grader/judge/submission.h"
#include "grader/judge/verdict.h"

namespace warpladder {

// The solution of the rung below, which the speedup is over: its lab's folder; its binary, "": there is none.
struct Below {
  std::filesystem::path folder, binary;
};

bool is_timed_on_host(const Lab& lab);  // its function takes host memory, so that CUDA events would miss a part

// Throws JudgeFault if it is the rung below that fails.
std::optional<Failure> time_on_gpu(const SubmissionSpec& specification, const Below& below, uint64_t seed,
                                   Speed& speed);

// A plain loop, and what uses every core.
void time_cpu(const Lab& lab, uint64_t seed, Speed& speed);

}  // namespace warpladder
