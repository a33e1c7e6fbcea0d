// judge: one submission to one lab → a Result. It compiles the file, makes a plan (plan.h) and runs its steps
// (steps.h); the ledger keeps the results.
#pragma once

#include "grader/judge/trial/options.h"
#include "grader/judge/verdict/verdict.h"

namespace warpladder {

// Throws WrongCommand if the options name what the lab has not.
Result judge(const JudgeOptions& options);

}  // namespace warpladder
