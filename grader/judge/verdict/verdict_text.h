// verdict_text: Result → text for a person.
#pragma once

#include <string>

#include "grader/judge/verdict/verdict.h"

namespace warpladder {

// command: how the judge was called. The command that repeats a failed case begins with it.
std::string to_text(const Result& result, const std::string& command);

}  // namespace warpladder
