// verdict: rule broken · finding.race
// lab: 99
// As line_of_cub, with the digraph for #.
#include "unordered.h"

// clang-format off
%:line 100 "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh"
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
