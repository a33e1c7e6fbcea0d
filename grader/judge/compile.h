// compile: a learner's file → a lab binary, by the command lines that CMake wrote into build.json.
#pragma once

#include <filesystem>
#include <optional>

#include "grader/judge/file.h"
#include "grader/judge/lab.h"
#include "grader/judge/verdict.h"

namespace warpladder {

// Between compiler and linker object.h looks at what the file defines. A failure of the compiler is the learner's; one
// of the linker too, since only their object changes.
std::optional<Failure> compile(const Build& build, const Lab& lab, const std::filesystem::path& source,
                               const std::filesystem::path& binary, const TemporaryFolder& folder);

}  // namespace warpladder
