// verdict: compile error · compile
// lab: 02
// Compiles, but defines no function of the contract.
#include "common/contracts/reduction.h"

static __global__ void kernel() {}
void unused() { kernel<<<1, 1>>>(); }
