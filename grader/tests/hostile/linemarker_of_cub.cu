// verdict: rule broken · finding.race
// lab: 99
// Writes the mark that the preprocessor writes when it enters a header of the system.
#include "unordered.h"

# 100 "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh" 1 3
UNORDERED_KERNEL(racy)
# 10 "reduce.cu" 2
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
