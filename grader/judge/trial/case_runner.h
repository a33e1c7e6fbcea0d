// case_runner: runs cases of a plan in the submission's process and enters the results in the ledger.
#pragma once

#include <filesystem>
#include <string>

#include "grader/judge/run/submission.h"
#include "grader/judge/trial/ledger.h"
#include "grader/judge/trial/plan.h"

namespace warpladder {

// False: the process can run no further case.
bool run_case(Submission& submission, const Lab& lab, const Case& job, const std::string& schedule, Ledger& ledger);

// Runs the batch in one process. spec: the binary, lab and device; the batch decides the rest.
void run_batch(SubmissionSpec spec, const Batch& batch, Ledger& ledger);

// Runs the case on the bytes of a file, which gives the size. For a histogram the result holds the counts; a trace
// works for any contract.
void run_own_file(SubmissionSpec spec, Case job, const std::filesystem::path& file, Ledger& ledger);

// The failure of a program that ended without a message to its device. Findings may be missing.
Failure silent_failure();

}  // namespace warpladder
