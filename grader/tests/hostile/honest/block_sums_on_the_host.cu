// verdict: accepted
// lab: 99
// Blocks of 32 threads leave one sum each, which the host adds up.
#include <numeric>
#include <vector>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sums) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned sum = i < n ? data[i] : 0;
  for (int step = 16; step > 0; step /= 2) sum += __shfl_down_sync(0xffffffff, sum, step);
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = blocks_for(n, 32);
  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  add<<<blocks, 32>>>(bits(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> sums(blocks);
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
