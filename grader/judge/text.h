// text: values → words.
#pragma once

#include <cstdio>
#include <string>

namespace warpladder {

// In so many significant digits, as %g writes them.
inline std::string number(double value, int digits = 4) {
  char text[40];
  std::snprintf(text, sizeof text, "%.*g", digits, value);
  return text;
}

}  // namespace warpladder
