// errors: what a compiler printed → its first errors, each once. nvcc compiles a file twice, for the host and for the
// device, and tells the same of it in both.
#pragma once

#include <string>

namespace warpladder {

// A text without errors that it knows stays as it is.
std::string first_errors(const std::string& printed);

}  // namespace warpladder
