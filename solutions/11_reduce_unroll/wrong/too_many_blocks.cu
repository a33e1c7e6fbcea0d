// caught by: guard (on a card: case.reduce_sum)
// As many blocks as in lab 04: seven of eight begin beyond the end of the data, and still write a sum.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;              // threads of a block; a power of two
constexpr int kUnroll = 8;               // blocks of data that a block of threads takes
constexpr int kTile = kUnroll * kBlock;  // elements of a block

// Unsigned, because that is how the sum wraps; overflow of an int is undefined.
__global__ void reduce_unroll(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * kTile;
  unsigned* tile = data + first;
  const int count = min(n - first, kTile);  // elements of this tile: the last one may hold fewer

  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * kBlock;
    // A guard for each element: in the last tile some of a thread's eight exist and some do not. A value and not a
    // jump, and the sum in a register: no load has to wait for the one before it.
    sum += i < count ? tile[i] : 0;
  }
  if (tid < count) tile[tid] = sum;
  // The first step reads sums that other threads are writing here.
  __syncthreads();

  // Before each step all that is left to add lies in the first 2 * stride elements.
  // No early return for threads without a pair: every thread has to come to the barrier.
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    // A tile of 512 elements or more needs the first test alone. In the last one the partner may lie beyond the end.
    if (tid < stride && tid + stride < count) {
      // On a line of its own: the report tells its lanes from those that only test.
      tile[tid] += tile[tid + stride];
    }
    // The next step reads sums that other threads are writing in this one.
    __syncthreads();
  }
  if (tid == 0) block_sums[blockIdx.x] = tile[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kBlock + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_unroll<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
