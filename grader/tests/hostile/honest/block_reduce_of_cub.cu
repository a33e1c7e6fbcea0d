// verdict: accepted
// lab: 99
// Sums a block with CUB, which is part of the toolkit.
#include <cub/block/block_reduce.cuh>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  using Reduce = cub::BlockReduce<unsigned, 128>;
  __shared__ typename Reduce::TempStorage storage;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const unsigned block = Reduce(storage).Sum(i < n ? data[i] : 0);
  if (threadIdx.x == 0) atomicAdd(sum, block);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 128), 128>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
