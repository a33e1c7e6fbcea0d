// caught by: finding.race
// No barrier between the steps: a warp reads the sums of warps that have not added yet. Inside one warp it works
// by luck.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 1024;  // threads, and elements, of a block; a power of two, or the pairs do not come out even

// Unsigned, because that is how the sum wraps; overflow of an int is undefined.
__global__ void reduce_neighbored(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * blockDim.x;
  unsigned* block = data + first;
  const int count = min(n - first, kBlock);  // elements of this block: the last one may hold fewer

  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && tid + stride < count) {
      // On a line of its own: the report tells its lanes from those that only test.
      block[tid] += block[tid + stride];
    }
  }
  if (tid == 0) block_sums[blockIdx.x] = block[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kBlock + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_neighbored<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
