// reduction, last warp unrolled: the kernel of lab 12, which works. It differs in one thing: the kernel reads the size
// of its block from blockDim.x, so that only the launch decides. Goal of this lab: no loop over the strides.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;  // threads of a block, for the launch; the kernel reads blockDim.x
constexpr int kWarp = 32;
constexpr int kUnroll = 8;  // blocks of data that a block of threads takes

// One step: thread i < stride adds sum i + stride to sum i, if there is one. In a step no thread reads a sum that
// another thread writes; between two steps the threads have to wait for each other.
static __device__ void add_upper(unsigned* tile, int sums, int stride) {
  const int tid = threadIdx.x;
  if (tid < stride && tid + stride < sums) tile[tid] += tile[tid + stride];
}

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
__global__ void reduce_unroll_complete(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  const int block = blockDim.x;
  const int tile_size = kUnroll * block;
  const int first = blockIdx.x * tile_size;
  unsigned* tile = data + first;
  const int count = min(n - first, tile_size);  // elements of this tile; the last tile may hold fewer

  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * block;
    // A guard for each element: in the last tile only some of a thread's eight elements exist.
    sum += i < count ? tile[i] : 0;
  }
  const int sums = min(count, block);  // one for each thread that had an element
  if (tid < sums) tile[tid] = sum;
  // The first step reads sums that other threads write here.
  __syncthreads();

  // TODO 1 (16 lines for these 5): no loop. The strides are 512, 256, 128 and 64. Each stands in an if that asks
  // whether blockDim.x is large enough for this step. The largest block has 1024 threads.
  // TODO 2: each step keeps its barrier. May it stand inside the if? Say why.
  for (int stride = block / 2; stride > kWarp; stride /= 2) {
    add_upper(tile, sums, stride);
    // The next step, or the last warp below, reads sums that other threads write in this step.
    __syncthreads();
  }

  // From here on only lanes of warp 0 read and write. The PTX does not contain this loop: the compiler knows where it
  // begins and ends, and unrolls it.
  if (tid < kWarp) {
#pragma unroll
    for (int stride = kWarp; stride > 0; stride /= 2) {
      add_upper(tile, sums, stride);
      // The next step reads sums that other lanes write in this step.
      __syncwarp();
    }
  }
  if (tid == 0) block_sums[blockIdx.x] = tile[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / (kUnroll * kBlock) + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_unroll_complete<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
