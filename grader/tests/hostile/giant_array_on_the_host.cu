// verdict: compile error · compile
// lab: 02
// Eight gigabytes in the data segment, all of which the assembler would write.
#include "common/contracts/reduction.h"

int numbers[2'000'000'000] = {1};

int reduce_sum(int*, int n) { return numbers[n]; }
