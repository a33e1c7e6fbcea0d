// reduction, unrolled by eight: the working kernel of lab 11, and the start of lab 12. A thread adds eight elements in
// a register. Then the block adds its 512 sums in nine steps. After each step all 16 warps meet at a barrier, although
// in the last six steps only one of them adds.
//
// To do: in the last six steps, strides 32 to 1, the first warp works alone, without a barrier of the block.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;              // threads of a block; a power of two
constexpr int kUnroll = 8;               // blocks of data that a block of threads takes
constexpr int kTile = kUnroll * kBlock;  // elements of a block

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
__global__ void reduce_unroll(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int first = blockIdx.x * kTile;
  unsigned* tile = data + first;
  const int count = min(n - first, kTile);  // elements of this tile; the last tile may hold fewer

  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * kBlock;
    // A guard for each element: in the last tile only some of a thread's eight elements exist. It is a value and not
    // a jump, and the sum is in a register: no load has to wait for the load before it.
    sum += i < count ? tile[i] : 0;
  }
  if (tid < count) tile[tid] = sum;
  // The first step reads sums that other threads write here.
  __syncthreads();

  // Before each step the sums that are left lie in the first 2 * stride elements.
  // No early return for threads without a pair: every thread has to come to the barrier.
  // TODO 1 (1 line): this loop ends when 64 sums are left.
  for (int stride = blockDim.x / 2; stride > 0; stride /= 2) {
    // A tile of 512 elements or more needs only the first test. In the last tile the partner may lie beyond the end.
    if (tid < stride && tid + stride < count) {
      // On a line of its own, so that the report separates its lanes from those that only test.
      tile[tid] += tile[tid + stride];
    }
    // The next step reads sums that other threads write in this step.
    __syncthreads();
  }
  // TODO 2 (3 lines): the first warp alone, strides 32, 16, 8, 4, 2, 1: a loop that #pragma unroll removes, or six
  // additions that you write yourself. The tile may hold fewer than 64 elements.
  // TODO 3 (1 line, and a comment that says why): between two steps, wait for the warp's other lanes.
  if (tid == 0) block_sums[blockIdx.x] = tile[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kTile + 1;

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
