// verdict: rule broken · finding.race
// lab: 99
// Puts its racy kernel into CUB's namespace, and says by #line that it stands in a header of CUB.
#include "unordered.h"

namespace cub {
#line 100 "/usr/local/cuda/include/cccl/cub/block/block_reduce.cuh"
UNORDERED_KERNEL(racy)
}  // namespace cub
int reduce_sum(int* data, int n) { return sum_with(cub::racy, data, n); }
