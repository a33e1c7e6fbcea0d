// reduction, unrolled completely: the kernel of lab 13, which works for every block size. Each warp asks again and
// again how large its block is, and gets the same answer every time. Goal of this lab: the compiler knows the answer.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kWarp = 32;
constexpr int kUnroll = 8;  // blocks of data that a block of threads takes

// One step: thread i < stride adds sum i + stride to sum i, if there is one. In a step no thread reads a sum that
// another thread writes; between two steps the threads have to wait for each other.
static __device__ void add_upper(unsigned* tile, int sums, int stride) {
  const int tid = threadIdx.x;
  if (tid < stride && tid + stride < sums) tile[tid] += tile[tid + stride];
}

// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
// TODO 1 (1 line): a template with the block size as its argument, kBlock.
__global__ void reduce_template(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  const int tid = threadIdx.x;
  // TODO 2 (2 lines): a block size, and a tile size, that the compiler knows.
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

  // TODO 3 (4 lines): questions that the compiler answers.
  // All threads of a block have the same blockDim.x: all of them enter an if and come to its barrier, or none does.
  if (block >= 1024) {
    add_upper(tile, sums, 512);
    // The next step reads sums that other threads write in this step. The same holds for the steps below.
    __syncthreads();
  }
  if (block >= 512) {
    add_upper(tile, sums, 256);
    __syncthreads();  // as above
  }
  if (block >= 256) {
    add_upper(tile, sums, 128);
    __syncthreads();  // as above
  }
  if (block >= 128) {
    add_upper(tile, sums, 64);
    __syncthreads();  // as above, for the last warp
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

int reduce_sum_block(int* data, int n, int block) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / (kUnroll * block) + 1;

  unsigned* d_data = reinterpret_cast<unsigned*>(data);
  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  // TODO 4 (9 lines): block is known when the program runs, a template argument when it is compiled. Launch the kernel
  // for 1024, 512, 256, 128, 64 or 32 threads. What should happen if block is none of them?
  reduce_template<<<blocks, block>>>(d_data, n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
