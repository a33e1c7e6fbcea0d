// failing_calls: does a function look at what CUDA's calls return? In: a case for each entry. Each call that the
// function makes fails once, in a process of its own. Out: the first failure of a call that the function did not
// notice.
//
// A function has noticed the error if it ends the program, throws, or prints something that it does not print
// otherwise; if it leaves out the work that would follow and returns another value; or if it finds another way to the
// right answer. So its calls, as lockstep counted them, and what it prints are compared with a run in which no call
// fails.
#pragma once

#include "grader/judge/run/surroundings.h"
#include "grader/judge/trial/ledger.h"

namespace warpladder {

void let_calls_fail(const SubmissionSpec& spec, const std::vector<Case>& cases, Ledger& ledger);

}  // namespace warpladder
