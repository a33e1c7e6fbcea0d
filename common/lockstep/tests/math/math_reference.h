// math_reference: the correctly rounded result of a mathematical function, from quadruple precision.
#pragma once

#include <string>

// A binary floating-point format: digits of the significand, and the exponents of its smallest and of its largest unit
// in the last place.
struct Format {
  int digits, smallest_unit, largest_unit;
};
inline constexpr Format kHalf{11, -24, 5}, kBfloat16{8, -133, 120}, kFloat{24, -149, 104}, kDouble{53, -1074, 971};

// `name` is a function of C or CUDA without its suffix: "sin", "rnorm3d". The result, rounded to nearest even in
// `format`, which fits a double exactly. Ends the program if the name is not known.
double reference(const std::string& name, const double arguments[4], const Format& format);
