// verdict: runtime error · runtime
// lab: 02
// An exception leaves the function. Nobody catches its type by name.
#include "common/contracts/reduction.h"

int reduce_sum(int*, int) { throw 42; }
