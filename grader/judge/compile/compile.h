// compile: a learner's file → a lab binary. The command lines are those that CMake wrote into build.json.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/sandbox/file.h"

namespace warpladder {

// Between compiler and linker, object.h checks what the file defines. A failure of the compiler or the linker is the
// learner's fault, since only the learner's object changes.
std::optional<Failure> compile(const Build& build, const Lab& lab, const std::filesystem::path& source,
                               const std::filesystem::path& binary, const TemporaryFolder& folder);

// True if a part of the compiler ended by SIGKILL. The kernel sends it when memory runs out, which any program can
// cause, and to a part of a compiler that runs for too long.
bool compiler_was_killed(const Failure& failure);

}  // namespace warpladder
