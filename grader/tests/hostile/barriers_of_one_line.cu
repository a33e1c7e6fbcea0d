// verdict: rule broken · finding.barrier_divergence
// lab: 99
// Two barriers in one line: each half of the block waits at its own.
#include "unordered.h"

static __global__ void adds(const unsigned* data, int n, unsigned* sum) {
  __shared__ unsigned s_sum;
  const int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
  if (tid == 0) s_sum = 0;
  __syncthreads();  // the others must not add before it is 0
  atomicAdd(&s_sum, i < n ? data[i] : 0);
  // clang-format off
  if (tid < 16) { __threadfence_block(); __syncthreads(); } else { __threadfence(); __syncthreads(); }
  // clang-format on
  if (tid == 0) atomicAdd(sum, s_sum);
}

int reduce_sum(int* data, int n) { return sum_with(adds, data, n); }
