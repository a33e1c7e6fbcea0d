// verdict: accepted
// lab: 99
// Asks for a compute capability above the lab's, and uses what only that has.

// compute capability 8.0

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned warp = __reduce_add_sync(0xffffffffu, i < n ? data[i] : 0);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, warp);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
