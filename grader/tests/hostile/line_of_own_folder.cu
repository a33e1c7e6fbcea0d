// verdict: rule broken · finding.race
// lab: 99
// Says by #line that its racy kernel stands in a folder cub beside the file.
#include "unordered.h"

#line 1 "cub/mine.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
