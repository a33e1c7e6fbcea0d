// caught by: rule.barriers
// The result is right, but this is an older rung in another memory. The tree is in shared memory, with a barrier in
// every step.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;              // threads of a block
constexpr int kUnroll = 8;               // blocks of data that a block of threads takes
constexpr int kTile = kUnroll * kBlock;  // elements of a block

// Unsigned, because that is how the sum wraps; overflow of an int is undefined.
__global__ void reduce_shuffle(const unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  __shared__ unsigned s_sums[kBlock];
  const int tid = threadIdx.x;
  const int first = blockIdx.x * kTile;
  const unsigned* tile = data + first;
  const int count = min(n - first, kTile);  // elements of this tile: the last one may hold fewer

  // No early return: a thread without elements keeps its zero and takes part, for the shuffles name all 32 lanes.
  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * kBlock;
    // A guard for each element: in the last tile some of a thread's eight exist and some do not.
    sum += i < count ? tile[i] : 0;
  }

  s_sums[tid] = sum;
  // The first step reads sums that other threads are writing here.
  __syncthreads();
  for (int stride = kBlock / 2; stride > 0; stride /= 2) {
    if (tid < stride) s_sums[tid] += s_sums[tid + stride];
    // The next step reads sums that other threads are writing in this one.
    __syncthreads();
  }
  if (tid == 0) block_sums[blockIdx.x] = s_sums[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kTile + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_shuffle<<<blocks, kBlock>>>(reinterpret_cast<const unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
