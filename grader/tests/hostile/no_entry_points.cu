// verdict: compile error · compile
// lab: 02
// Compiles, and defines nothing that the contract asks for.
#include "common/contracts/reduction.h"

static __global__ void kernel() {}
void unused() { kernel<<<1, 1>>>(); }
