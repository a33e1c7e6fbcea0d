// capability: the compute capability that a learner's file is compiled for. In: the lab's command line, and the comment
// at the head of the file that may ask for more: "// compute capability 8.0". Out: the command line that is run.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "grader/judge/base/failure.h"

namespace warpladder {

using Command = std::vector<std::string>;

// As nvcc writes it: 75 for 7.5.
std::string capability_text(int capability);  // "7.5"

// The capability that the command compiles for; 0: the command compiles no CUDA.
int capability_of(const Command& compile);

// The same command for a higher capability. Code for cards that have less is left out.
Command raised(const Command& compile, int capability);

// The comment stands among the comments and empty lines before the first line of code. Fails if it asks for a
// capability that does not exist, that the lab needs more than, or that lockstep does not emulate.
std::optional<Failure> choose_capability(std::string_view source, Command& compile);

// The capabilities above the command's, ascending.
std::vector<int> capabilities_above(const Command& compile);

}  // namespace warpladder
