// verdict: rule broken · finding.race
// lab: 99
// As loc_in_asm, but gives the header a file number of its own by .file.
#include "unordered.h"

static __global__ void racy(const unsigned* data, int n, unsigned* sum) {
  __shared__ unsigned s_part[32];
  const int tid = threadIdx.x, i = blockIdx.x * 32 + tid;
  asm volatile(".file\t77 \"/usr/local/cuda/include/cccl/cub/x.cuh\"\n\t.loc 77 1 0");
  s_part[tid] = i < n ? data[i] : 0;
  for (int stride = 16; stride > 0; stride /= 2) {
    asm volatile(".loc 77 2 0");
    if (tid < stride) s_part[tid] += s_part[tid + stride];
  }
  if (tid == 0) atomicAdd(sum, s_part[0]);
}

int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
