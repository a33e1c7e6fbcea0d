// errors: what a compiler printed → its first errors, each once, and the next step; and the warnings that may explain
// a failure. nvcc compiles a file twice, for the host and for the device, and tells the same of it in both.
#pragma once

#include <string>
#include <vector>

#include "grader/judge/base/message.h"

namespace warpladder {

// nvcc quotes a line as it is after the preprocessor. Here it is quoted as it stands in the file, and the mark below it
// stays at its word. file: its name in the text; source: what it contains.
std::string with_own_lines(const std::string& printed, const std::string& file, const std::string& source);

// "line 3: missing return statement …", each once. A name that is never used explains no failure and is left out.
std::vector<Message> telling_warnings(const std::string& printed, const std::string& file);

struct FirstErrors {
  std::string text;
  Message rest = {};  // "and 2 more errors"
};
// A text without errors that it knows stays as it is.
FirstErrors first_errors(const std::string& printed);

struct ErrorAdvice {
  std::string name;  // "first_error" where no error says more
  Message text;
};
// The next step, from what first_errors gave.
ErrorAdvice advice_on_errors(const std::string& errors);

}  // namespace warpladder
