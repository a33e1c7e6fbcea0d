// reduction, interleaved: the working kernel of lab 04 with blocks of 512 threads, and the start of lab 11. Each block
// adds 512 elements; a thread loads two of them, adds, and waits for the block.
//
// To do: every block takes several blocks of data, 2, then 4, then 8. A thread first adds 2, 4 or 8 elements, kBlock
// apart, in a register. Then the block adds its 512 sums in the steps that are here already.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;  // threads, and elements, of a block; a power of two: each step halves the sums
// TODO 1 (2 lines): kUnroll, the number of blocks of data that a block of threads takes; kTile, their elements.

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
__global__ void reduce_interleaved(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  // TODO 2 (2 lines): first and count, of the whole tile.
  const int first = blockIdx.x * blockDim.x;
  unsigned* block = data + first;
  const int count = min(n - first, kBlock);  // elements of this block; the last block may hold fewer

  // TODO 3 (5 lines): add this thread's elements of the tile, as many of them as exist, in a register. Store the sum,
  // if there is one. Does any thread have to wait before the first step?

  // Before each step the sums that are left lie in the first 2 * stride elements.
  // No early return for threads without a pair: every thread has to come to the barrier.
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    // A full block needs only the first test. In the last block the partner may lie beyond the end.
    // No thread reads a sum that another writes in this step: sums go below stride, partners lie at stride and above.
    if (tid < stride && tid + stride < count) {
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
  // TODO 4 (1 line): as many as n elements need now
  const int blocks = (n - 1) / kBlock + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_interleaved<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
