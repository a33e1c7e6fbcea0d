// reduction, less divergent: the working kernel of lab 03, and the start of lab 04. The first threads of the block add,
// side by side, but their elements lie 2 * stride apart: a warp uses one or two words of each sector that it fetches.
//
// To do: the same threads add other pairs. The stride begins at half a block and halves in each step; thread i adds
// element i + stride to element i.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 1024;  // threads, and elements, of a block; a power of two: each step halves the sums

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
__global__ void reduce_less_divergent(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * blockDim.x;
  unsigned* block = data + first;
  const int count = min(n - first, kBlock);  // elements of this block; the last block may hold fewer

  // No early return for threads without a pair: every thread has to come to the barrier.
  // TODO 1 (1 line): the strides in the other direction, the last one is 1.
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    // TODO 2 (3 lines): which threads add, and at which elements? Neighbouring threads at neighbouring elements. The
    // last block may hold any number of elements, also an odd number.
    // Counted within the block, 0 to 2^20. Counted over the whole grid, it would not fit into an int.
    const int i = 2 * stride * tid;
    if (i + stride < count) {
      // On a line of its own, so that the report separates its lanes from those that only test.
      block[i] += block[i + stride];
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
  reduce_less_divergent<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
