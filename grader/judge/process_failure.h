// process_failure: what the process of a submission did in place of answering → the words for it.
#pragma once

#include <string>

#include "grader/judge/child.h"
#include "grader/judge/verdict.h"

namespace warpladder {

std::string seconds_text(double seconds);  // "1 second"

Failure time_failure(const std::string& what);
Failure output_failure();
// The runner does not say so, or not now.
Failure protocol_failure(const std::string& what);
// The runner writes no such line: one that looks like a reply is made up, another may be an accident.
Failure foreign_line_failure(const std::string& line);
// Our own trouble. errors: what the process wrote to stderr.
Failure fault_failure(const std::string& what, const std::string& errors);
// Of a line that is no answer.
Failure refused_failure(const std::string& line, const std::string& errors);
// A process of a submission's got SIGKILL, which no limit of ours sends but the one of CPU time, ignored: the kernel
// does when memory runs out, and whoever may. Whose memory that was shows when all is done once more.
struct Killed {};

// Of a process that is gone although an answer was due.
Failure ended_failure(const Child& child, double cpu_seconds);

}  // namespace warpladder
