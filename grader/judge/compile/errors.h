// errors: what a compiler printed → its first errors, each once, and the next step. nvcc compiles a file twice, for the
// host and for the device, and tells the same of it in both.
#pragma once

#include <string>

namespace warpladder {

// A text without errors that it knows stays as it is.
std::string first_errors(const std::string& printed);

struct ErrorAdvice {
  std::string name;  // "first_error" where no error says more
  std::string text;
};
// The next step, from what first_errors gave.
ErrorAdvice advice_on_errors(const std::string& errors);

}  // namespace warpladder
