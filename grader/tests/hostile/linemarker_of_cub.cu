// verdict: rule broken · finding.race
// lab: 99
// Writes the line marker that the preprocessor writes when it enters a system header.
#include "unordered.h"

# 100 "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh" 1 3
UNORDERED_KERNEL(racy)
# 10 "reduce.cu" 2
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
