#include "grader/judge/compile/errors.h"

#include <algorithm>
#include <array>
#include <vector>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// What compilers say of mistakes that beginners often make, and what to do.
struct Known {
  const char *part, *name, *next;
};
constexpr Known kUnclosed = {"error: expected a \"}\"", "unclosed",
                             "A } is missing. Look for the { without a partner, from the first error upwards."};
constexpr std::array<Known, 5> kKnown = {{
    {"error: expected a \";\"", "semicolon", "Put a ; at the end of the statement before this place."},
    {"calling a __device__ function(", "device_function",
     "Write __device__ before the function that makes this call: without it, the function is the host's."},
    {"__host__ function(", "host_function",
     "A kernel can call only __device__ functions. CUDA has min, max and the functions of <cmath>, without std::."},
    {"is undefined", "undefined", "Compare the spelling. If it is right: is the name declared above this line?"},
    {"undefined reference to", "not_defined",
     "The function is declared, but nothing defines it. Compare its name and its parameters with the declaration."},
}};

constexpr size_t kMostErrors = 3, kLinesOfError = 6;  // lines of one error: notes can be many

bool is_error(const std::string& line) {
  return line.find("error: ") != std::string::npos || line.find("error #") != std::string::npos ||
         line.find("undefined reference to") != std::string::npos;
}

// Where the text of another message begins, or a sum of them ("2 errors detected …").
bool ends_error(const std::string& line) {
  for (const char* part : {"warning: ", "warning #", "note: ", "note #", "remark: ", "Remark: ", "errors detected",
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

ErrorAdvice advice_on_errors(const std::string& errors) {
  if (errors.find(kUnclosed.part) != std::string::npos) return {kUnclosed.name, kUnclosed.next};
  const std::vector<std::string> lines = split(errors, '\n');
  const bool is_alone = std::ranges::count_if(lines, is_error) == 1;
  for (const Known& known : kKnown)
    if (!lines.empty() && lines.front().find(known.part) != std::string::npos)  // a compiler may fail in silence
      return {known.name, (is_alone ? "" : "Start with the first error. ") + std::string(known.next)};
  return {"first_error", is_alone ? "Begin at the line that the error names."
                                  : "Start with the first error; later ones often follow from it."};
}

}  // namespace warpladder
