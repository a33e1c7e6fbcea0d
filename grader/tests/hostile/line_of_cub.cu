// verdict: rule broken · finding.race
// lab: 99
// Says by #line that its racy kernel stands in a header of CUB.
#include "unordered.h"

#line 100 "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
