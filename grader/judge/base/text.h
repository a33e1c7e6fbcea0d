// text: a number → words for a person.
#pragma once

#include <cstdio>
#include <string>

namespace warpladder {

// With this many significant digits, in the way of %g.
inline std::string number(double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace warpladder
