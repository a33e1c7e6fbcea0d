// verdict: rule broken · finding.race
// lab: 99
// Says that its racy kernel stands in a folder of its own, which has the name of a library.
#include "unordered.h"

#line 1 "cub/mine.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
