// verdict: rule broken · finding.race
// lab: 99
// Puts .loc lines around its racy accesses. They name a header of CUB that the file includes.
#include <cub/block/block_reduce.cuh>

#include "unordered.h"

static __global__ void racy(const unsigned* data, int n, unsigned* sum) {
  using Reduce = cub::BlockReduce<unsigned, 32>;
  __shared__ typename Reduce::TempStorage storage;
  __shared__ unsigned s_part[32];
  const int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
  asm volatile("// end inline asm\n\t.loc\t2 100 7\n\t// begin inline asm");
  s_part[tid] = i < n ? data[i] : 0;
  for (int stride = 16; stride > 0; stride /= 2) {
    asm volatile("// end inline asm\n\t.loc\t2 101 7\n\t// begin inline asm");
    if (tid < stride) s_part[tid] += s_part[tid + stride];
  }
  if (Reduce(storage).Sum(0u) == 0 && tid == 0) atomicAdd(sum, s_part[0]);
}

int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
