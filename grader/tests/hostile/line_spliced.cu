// verdict: rule broken · finding.race
// lab: 99
// As line_of_cub, but backslashes at the ends of lines split the directive and the name.
#include "unordered.h"

#li\
ne 100 "/usr/local/cuda/include/cccl/c\
ub/block/block_reduce.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
