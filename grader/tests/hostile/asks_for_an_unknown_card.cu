// verdict: compile error · compile
// lab: 99
// Asks for a compute capability that lockstep does not emulate.

// compute capability 12.0

#include "right.h"

int reduce_sum(int* data, int n) { return right_sum(data, n); }
