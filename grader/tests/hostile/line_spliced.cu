// verdict: rule broken · finding.race
// lab: 99
// As line_of_cub, with the directive and the name cut in two by the ends of lines.
#include "unordered.h"

#li\
ne 100 "/usr/local/cuda/include/cccl/c\
ub/block/block_reduce.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
