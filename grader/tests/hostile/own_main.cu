// verdict: compile error · compile
// lab: 02
// Defines its own main.
#include "common/contracts/reduction.h"

int reduce_sum(int*, int) { return 0; }
int main() { return 0; }
