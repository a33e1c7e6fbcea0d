// verdict: accepted
// lab: 99
// Blocks of 7 × 3 × 5 threads in a grid of three dimensions; most of the blocks have nothing to do.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
  const int thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
  if (const int i = block * 105 + thread; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  const unsigned side = blocks_for(blocks_for(n, 105), 4);
  add<<<dim3(2, side, 3), dim3(7, 3, 5)>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
