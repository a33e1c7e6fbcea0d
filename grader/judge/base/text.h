// text: a number → words for a person; a text → its parts.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

namespace warpladder {

// With this many significant digits, in the way of %g. A long double holds every 64-bit integer.
inline std::string number(long double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*Lg", digits, value);
  return text;
}

// The parts between the separators. A separator at the end begins no further part.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

size_t width_of(std::string_view text);  // in characters, not in bytes

// The page that every text of this process is written for. It is set once, before the first text is made.
inline constexpr size_t kUsualPage = 76, kNarrowestPage = 20;  // characters in a line
size_t page_width();
void set_page_width(size_t characters);

// Each line behind this indent. A line that is too long for the page goes on below, two deeper than it begins. A word
// is never broken.
std::string wrapped(const std::string& text, const std::string& indent);

std::string capitalised(std::string text);

// The name that needs the fewest changed letters to become the text. There is one name at least.
std::string nearest(std::string_view text, const std::vector<std::string>& names);

// The text as people may see it. Control characters and invisible ones are written as their numbers (\u001b, \u202e),
// and so are bytes that are not UTF-8 (\x9b): a submission can neither command a terminal nor turn the direction of
// writing. Line feeds and tabs stay. All words of a submission pass here before they leave the judge.
std::string visible(std::string_view text);

}  // namespace warpladder
