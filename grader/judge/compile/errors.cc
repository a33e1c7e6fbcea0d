#include "grader/judge/compile/errors.h"

#include <algorithm>
#include <vector>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr size_t kMostErrors = 3, kLinesOfError = 6;  // lines of one error: notes can be many

bool is_error(const std::string& line) {
  return line.find("error: ") != std::string::npos || line.find("error #") != std::string::npos ||
         line.find("undefined reference to") != std::string::npos;
}

// Where the text of another message begins, or a sum of them ("2 errors detected …").
bool ends_error(const std::string& line) {
  for (const char* part : {"warning: ", "warning #", "note: ", "remark: ", "Remark: ", "errors detected",
                           "error detected", "error generated", "errors generated", "In file included"})
    if (line.find(part) != std::string::npos) return true;
  return line.empty();
}

}  // namespace

std::string first_errors(const std::string& printed) {
  std::vector<std::string> errors;
  size_t lines = 0;  // of the error at hand; 0: the line belongs to none
  for (const std::string& line : split(printed, '\n')) {
    if (is_error(line)) {
      errors.push_back(line + "\n");
      lines = 1;
    } else if (ends_error(line) || lines == kLinesOfError) {
      lines = 0;
    } else if (lines > 0) {
      errors.back() += line + "\n";
      ++lines;
    }
  }
  std::vector<std::string> different;
  for (const std::string& error : errors)
    if (std::ranges::find(different, error) == different.end()) different.push_back(error);
  if (different.empty()) return printed;
  std::string text;
  for (size_t i = 0; i < std::min(kMostErrors, different.size()); ++i) text += different[i];
  if (different.size() <= kMostErrors) return text;
  const size_t more = different.size() - kMostErrors;
  return text + "and " + std::to_string(more) + (more == 1 ? " more error\n" : " more errors\n");
}

}  // namespace warpladder
