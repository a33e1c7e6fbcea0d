// verdict: wrong answer · case.saxpy
// lab: 00
// Every answer is NaN. A comparison with a tolerance never finds a NaN wrong.
#include <cmath>

#include "right.h"

float saxpy(const float* x, const float* y, int n, float, float* out) {
  return right_saxpy(x, y, n, std::nanf(""), out);
}
