// reduction, neighboured: the working kernel of lab 02, and the start of lab 03. Thread i works at element i, so that
// in the step with stride s every 2s-th thread adds and its neighbours in the warp stand idle.
//
// To do: other threads add the same pairs. Thread i takes the i-th pair of a step. So the first threads of the block
// add, side by side, and the other warps have no more work.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 1024;  // threads, and elements, of a block; a power of two: each step halves the sums

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
__global__ void reduce_neighbored(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * blockDim.x;
  unsigned* block = data + first;
  const int count = min(n - first, kBlock);  // elements of this block; the last block may hold fewer

  // No early return for tid >= count: every thread has to come to the barrier.
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    // TODO 1 (1 line): i, the first element of this thread's pair. Pairs begin at elements 0, 2 * stride, 4 * stride, …
    // TODO 2 (2 lines): add block[i + stride] to block[i], if that element exists. Does anything else need a test?
    if (tid % (2 * stride) == 0 && tid + stride < count) {
      // On a line of its own, so that the report separates its lanes from those that only test.
      block[tid] += block[tid + stride];
    }
    // The next step reads sums that other threads write in this step.
    __syncthreads();
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
