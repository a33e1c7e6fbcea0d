#include "grader/judge/compile/errors.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

// What compilers say of mistakes that beginners often make, and what to do.
struct Known {
  const char *part, *name, *next;
};
constexpr Known kUnclosed = {"error: expected a \"}\"", "unclosed",
                             later("A } is missing. Look for the { without a partner, from the first error upwards.")};
constexpr std::array<Known, 5> kKnown = {{
    {"error: expected a \";\"", "semicolon", later("Put a ; at the end of the statement before this place.")},
    {"calling a __device__ function(", "device_function",
     later("Write __device__ before the function that makes this call: without it, the function is the host's.")},
    {"__host__ function(", "host_function",
     later("A kernel can call only __device__ functions. CUDA has min, max and the functions of <cmath>, without "
           "std::.")},
    {"is undefined", "undefined", later("Compare the spelling. If it is right: is the name declared above this line?")},
    {"undefined reference to", "not_defined",
     later("The function is declared, but nothing defines it. Compare its name and its parameters with the "
           "declaration.")},
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

// The number of the line in "file(12): error: …"; 0: the text does not begin so.
size_t line_number(const std::string& line, const std::string& file) {
  if (!line.starts_with(file + "(")) return 0;
  return std::strtoull(line.c_str() + file.size() + 1, nullptr, 10);
}

bool is_mark(const std::string& line) {
  return !line.empty() && line.find_first_not_of(' ') == line.size() - 1 && line.back() == '^';
}

bool is_letter(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// The word of the quoted line that begins at the mark.
std::string word_at(const std::string& quoted, size_t mark) {
  size_t end = std::min(mark, quoted.size());
  while (end < quoted.size() && is_letter(quoted[end])) ++end;
  return quoted.substr(std::min(mark, quoted.size()), end - std::min(mark, quoted.size()));
}

std::string trimmed(const std::string& line) {
  const size_t begin = line.find_first_not_of(" \t");
  return begin == std::string::npos ? "" : line.substr(begin, line.find_last_not_of(" \t\r") + 1 - begin);
}

}  // namespace

std::string with_own_lines(const std::string& printed, const std::string& file, const std::string& source) {
  constexpr const char* kIndent = "  ";
  const std::vector<std::string> lines = split(printed, '\n'), own = split(source, '\n');
  std::string text;
  for (size_t i = 0; i < lines.size(); ++i) {
    text += lines[i] + "\n";
    const size_t number = line_number(lines[i], file);
    if (number == 0 || number > own.size() || i + 2 >= lines.size() || !is_mark(lines[i + 2])) continue;
    const std::string& quoted = lines[i + 1];
    const std::string stands = trimmed(own[number - 1]);
    if (trimmed(quoted) == stands) continue;
    text += kIndent + stands + "\n";
    const std::string word = word_at(quoted, lines[i + 2].size() - 1);
    const size_t at = word.empty() ? std::string::npos : stands.find(word);
    if (at != std::string::npos) text += kIndent + std::string(at, ' ') + "^\n";
    i += 2;
  }
  return text;
}

std::vector<Message> telling_warnings(const std::string& printed, const std::string& file) {
  std::vector<Message> found;
  for (const std::string& line : split(printed, '\n')) {
    const size_t number = line_number(line, file), at = line.find("): warning #");
    const bool is_unused = line.find("never referenced") != std::string::npos ||  // of half a file: a starter
                           line.find("never used") != std::string::npos;
    const size_t text = line.find(": ", at == std::string::npos ? at : at + 3);
    if (number == 0 || text == std::string::npos || is_unused) continue;
    Message warning = message("line {line}: {warning}", {{"line", number}, {"warning", line.substr(text + 2)}});
    if (std::ranges::none_of(found, [&](const Message& known) { return known == warning.text(); }))
      found.push_back(std::move(warning));
  }
  return found;
}

FirstErrors first_errors(const std::string& printed) {
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
  if (different.empty()) return {printed};
  std::string text;
  for (size_t i = 0; i < std::min(kMostErrors, different.size()); ++i) text += different[i];
  if (different.size() <= kMostErrors) return {text};
  const size_t more = different.size() - kMostErrors;
  return {text, more == 1 ? message("and 1 more error") : message("and {count} more errors", {{"count", more}})};
}

ErrorAdvice advice_on_errors(const std::string& errors) {
  if (errors.find(kUnclosed.part) != std::string::npos) return {kUnclosed.name, message(kUnclosed.next)};
  const std::vector<std::string> lines = split(errors, '\n');
  const bool is_alone = std::ranges::count_if(lines, is_error) == 1;
  for (const Known& known : kKnown)
    if (!lines.empty() && lines.front().find(known.part) != std::string::npos)  // a compiler may fail in silence
      return {known.name, is_alone ? message(known.next)
                                   : message("Start with the first error. {next}", {{"next", message(known.next)}})};
  return {"first_error", is_alone ? message("Begin at the line that the error names.")
                                  : message("Start with the first error; later ones often follow from it.")};
}

}  // namespace warpladder
