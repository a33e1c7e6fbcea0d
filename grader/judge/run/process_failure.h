// process_failure: how a submission's process failed to answer → the Failure that says so.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/sandbox/child.h"

namespace warpladder {

Message seconds_text(double seconds);  // "1 second"

Failure time_failure(const Message& what);
Failure allowance_failure(double seconds);  // of all runs together
Failure output_failure();
Failure silent_failure();  // the program ended without a message to its device: findings may be missing
// The runner never sends this line, or not at this point.
Failure protocol_failure(const Message& what);
// The line is not an answer. If the runner never writes such a line, then it is made up where it looks like a reply;
// any other line may be an accident. errors: the process's stderr.
Failure refused_failure(const std::string& line, const std::string& errors);
// A submission's process got a SIGKILL. Among our limits only the limit of CPU time sends one, after an ignored
// SIGXCPU. Otherwise the kernel sends it when memory runs out, or another program does. Everything is run once more, to
// find out which process used up the memory.
struct Killed {};

// The process is gone although an answer was due.
Failure ended_failure(const Child& child, double cpu_seconds);

}  // namespace warpladder
