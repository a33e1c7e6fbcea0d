// verdict: compile error · compile
// lab: 02
// Is not C++.
#include "common/contracts/reduction.h"

int reduce_sum(int* data, int n) { return data[0] + m }
