#include "grader/judge/compile/capability.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstdio>

#include "grader/judge/base/text.h"

namespace warpladder {
namespace {

constexpr int kCapabilities[] = {75, 80, 86, 87, 89, 90};  // that nvcc 12.4 and later know and lockstep emulates
constexpr std::string_view kArch = "arch=compute_";

int number_behind(std::string_view word, std::string_view key) {
  const size_t at = word.find(key);
  int number = 0;
  if (at != std::string_view::npos) std::from_chars(word.data() + at + key.size(), word.data() + word.size(), number);
  return number;
}

std::string_view skip(std::string_view text, std::string_view chars) {
  return text.substr(std::min(text.find_first_not_of(chars), text.size()));
}

// What a comment asks for: "8.0" in "// compute capability 8.0". A sentence about capabilities asks for nothing.
std::string asked_in(std::string_view comment) {
  constexpr std::string_view kAsks = "compute capability";
  comment = skip(skip(comment, "/"), " \t");
  if (!comment.starts_with(kAsks)) return "";
  comment = skip(comment.substr(kAsks.size()), ": \t");
  return !comment.empty() && std::isdigit(static_cast<unsigned char>(comment[0])) ? std::string(comment) : "";
}

// What the head comment asks for, or "".
std::string asked_by(std::string_view source) {
  source.remove_prefix(source.starts_with("\xEF\xBB\xBF") ? 3 : 0);  // a byte order mark
  for (std::string line : split(std::string(source.substr(0, 4096)), '\n')) {
    line.erase(line.find_last_not_of('\r') + 1);  // written on Windows
    const std::string_view text = skip(line, " \t");
    if (text.empty()) continue;
    if (!text.starts_with("//")) return "";
    if (const std::string asked = asked_in(text); !asked.empty()) return asked;
  }
  return "";
}

std::string possible(int lowest) {
  std::string text;
  for (const int capability : kCapabilities)
    if (capability >= lowest) text += (text.empty() ? "" : ", ") + capability_text(capability);
  return text;
}

}  // namespace

std::string capability_text(int capability) {
  return std::to_string(capability / 10) + "." + std::to_string(capability % 10);
}

int capability_of(const Command& compile) {
  int lowest = 0;
  for (const std::string& word : compile) {
    const int number = number_behind(word, kArch);
    if (number != 0 && (lowest == 0 || number < lowest)) lowest = number;
  }
  return lowest;
}

Command raised(const Command& compile, int capability) {
  Command command;
  bool has_ptx = false;
  for (const std::string& word : compile) {
    const int number = number_behind(word, kArch);
    if (number == 0 || number >= capability) {
      command.push_back(word);
      continue;
    }
    if (word.find("code=compute_") != std::string::npos && !has_ptx) {
      const std::string arch = "compute_" + std::to_string(capability);
      command.push_back("arch=" + arch + ",code=" + arch);
      has_ptx = true;
    } else {
      command.pop_back();  // -gencode
    }
  }
  return command;
}

std::vector<int> capabilities_above(const Command& compile) {
  std::vector<int> above;
  const int own = capability_of(compile);
  for (const int capability : kCapabilities)
    if (own != 0 && capability > own) above.push_back(capability);
  return above;
}

std::optional<Failure> choose_capability(std::string_view source, Command& compile) {
  const int own = capability_of(compile);
  const std::string text = asked_by(source);
  if (text.empty() || own == 0) return std::nullopt;
  const Message next = message("Write one of {possible}, for example: // compute capability {own}",
                               {{"possible", possible(own)}, {"own", capability_text(own)}});
  int major = 0, minor = 0, end = 0;
  if (std::sscanf(text.c_str(), "%2d.%1d %n", &major, &minor, &end) != 2 || text.size() != static_cast<size_t>(end))
    return compile_failure(
        message("the file's first comment asks for a compute capability in a form that is not known"), next);
  const int asked = major * 10 + minor;
  if (asked < own)
    return compile_failure(message("the file asks for compute capability {asked}, but the lab needs {own}",
                                   {{"asked", capability_text(asked)}, {"own", capability_text(own)}}),
                           next);
  if (std::ranges::find(kCapabilities, asked) == std::end(kCapabilities))
    return compile_failure(
        message("the file asks for compute capability {asked}, which lockstep does not emulate or no card has",
                {{"asked", capability_text(asked)}}),
        next);
  compile = raised(compile, asked);
  return std::nullopt;
}

}  // namespace warpladder
