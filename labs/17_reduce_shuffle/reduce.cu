// reduction, block size known to the compiler: the kernel that lab 14 makes for 512 threads, and it works. The block
// size is a constant here, so that the compiler unrolls both loops over the strides by itself. Every partial sum goes
// to global memory and comes back. Goal of this lab: partial sums stay in registers, and one barrier is enough.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;  // threads of a block; a power of two
constexpr int kWarp = 32;
constexpr int kUnroll = 8;               // blocks of data that a block of threads takes
constexpr int kTile = kUnroll * kBlock;  // elements of a block

// One step: thread i < stride adds sum i + stride to sum i, if there is one. In a step no thread reads a sum that
// another thread writes; between two steps the threads have to wait for each other.
static __device__ void add_upper(unsigned* tile, int sums, int stride) {
  const int tid = threadIdx.x;
  if (tid < stride && tid + stride < sums) tile[tid] += tile[tid + stride];
}

// TODO 1 (4 lines): warp_sum, which adds the values of a warp's 32 lanes in five steps with __shfl_down_sync. Then
// add_upper is not needed any more.

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
// TODO 5 (2 words): the kernel need not write to data any more. Say so in its type, and in the launch's cast.
__global__ void reduce_shuffle(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  // TODO 2 (3 lines): this thread's lane and warp, and a shared array with one sum for each warp.
  const int tid = threadIdx.x;
  const int first = blockIdx.x * kTile;
  unsigned* tile = data + first;
  const int count = min(n - first, kTile);  // elements of this tile; the last tile may hold fewer

  unsigned sum = 0;
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * kBlock;
    // A guard for each element: in the last tile only some of a thread's eight elements exist.
    sum += i < count ? tile[i] : 0;
  }

  // TODO 3 (2 lines): each warp adds its sums, and one lane puts the warp's sum into shared memory.
  // TODO 4 (4 lines): after one barrier, the first warp adds the warps' sums. Which value do its other lanes bring?
  // Then only the store of the block's sum is left below this line.
  if (tid < count) tile[tid] = sum;
  // The first step reads sums that other threads write here.
  __syncthreads();

#pragma unroll
  for (int stride = kBlock / 2; stride > kWarp; stride /= 2) {
    add_upper(tile, count, stride);
    // The next step, or the last warp below, reads sums that other threads write in this step.
    __syncthreads();
  }
  // From here on only lanes of warp 0 read and write.
  if (tid < kWarp) {
#pragma unroll
    for (int stride = kWarp; stride > 0; stride /= 2) {
      add_upper(tile, count, stride);
      // The next step reads sums that other lanes write in this step.
      __syncwarp();
    }
  }
  if (tid == 0) block_sums[blockIdx.x] = tile[0];
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kTile + 1;

  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_shuffle<<<blocks, kBlock>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
