// text: a number → words for a person; a text → its parts.
#pragma once

#include <cstdio>
#include <sstream>
#include <string>
#include <vector>

namespace warpladder {

// With this many significant digits, in the way of %g.
inline std::string number(double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

// The parts between the separators. A separator at the end begins no further part.
inline std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) parts.push_back(part);
  return parts;
}

}  // namespace warpladder
