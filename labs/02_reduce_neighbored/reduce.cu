// reduction, neighboured: each block of 1024 threads adds 1024 elements in place, neighbour to neighbour, in ten
// steps; the host adds the block sums. In step s only every 2^s-th thread adds, so that every warp stays busy, but
// ever fewer of its lanes add.
//
// This file compiles and runs as it is; it is wrong at every TODO.
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
  // TODO 1 (1 line): count, the elements of this block. Only the last block may hold fewer than kBlock.

  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    // TODO 2 (2 lines): every thread whose tid is a multiple of 2 * stride adds block[tid + stride] to block[tid],
    // if that element exists.
    // TODO 3 (1 line, and a comment that says why it is needed): wait for the block.
  }
  if (tid == 0) block_sums[blockIdx.x] = block[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = 1;  // TODO 4 (1 line): as many as n elements need

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_neighbored<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // TODO 5 (1 line): copy the block sums to the host. Is a cudaDeviceSynchronize() needed before?
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
