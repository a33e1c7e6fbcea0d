// reduction, block size as a template argument: as lab 13, but the compiler knows the block size too. It removes the
// parts that only other sizes need before there is any PTX. Six sizes make six kernels out of one text; a switch on the
// host chooses between them.
#include <cstdio>
#include <cstdlib>
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

// kBlock: threads of a block, a power of two from 32 to 1024.
// Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
template <int kBlock>
__global__ void reduce_template(unsigned* __restrict__ data, int n, unsigned* __restrict__ block_sums) {
  constexpr int kTile = kUnroll * kBlock;  // elements of a block
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
  const int sums = min(count, kBlock);  // one for each thread that had an element
  if (tid < sums) tile[tid] = sum;
  // The first step reads sums that other threads write here.
  __syncthreads();

  // if constexpr: the compiler decides for each kBlock. A branch that is not taken leaves no instruction behind.
  if constexpr (kBlock >= 1024) {
    add_upper(tile, sums, 512);
    // The next step reads sums that other threads write in this step. The same holds below.
    __syncthreads();
  }
  if constexpr (kBlock >= 512) {
    add_upper(tile, sums, 256);
    __syncthreads();  // as above
  }
  if constexpr (kBlock >= 256) {
    add_upper(tile, sums, 128);
    __syncthreads();  // as above
  }
  if constexpr (kBlock >= 128) {
    add_upper(tile, sums, 64);
    __syncthreads();  // as above, for the last warp
  }

  // From here on only lanes of warp 0 read and write. The PTX does not contain this loop: the compiler knows where it
  // begins, which is at 16 for a block of one warp, and where it ends.
  if (tid < kWarp) {
#pragma unroll
    for (int stride = min(kWarp, kBlock / 2); stride > 0; stride /= 2) {
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
  switch (block) {
    case 1024: reduce_template<1024><<<blocks, 1024>>>(d_data, n, d_sums); break;
    case 512: reduce_template<512><<<blocks, 512>>>(d_data, n, d_sums); break;
    case 256: reduce_template<256><<<blocks, 256>>>(d_data, n, d_sums); break;
    case 128: reduce_template<128><<<blocks, 128>>>(d_data, n, d_sums); break;
    case 64: reduce_template<64><<<blocks, 64>>>(d_data, n, d_sums); break;
    case 32: reduce_template<32><<<blocks, 32>>>(d_data, n, d_sums); break;
    // Without it a forgotten size would launch nothing, and the host would add the garbage in block_sums.
    default: std::fprintf(stderr, "reduce_sum_block: no kernel for %d threads a block\n", block); std::exit(1);
  }
  CUDA_CHECK(cudaGetLastError());

  std::vector<unsigned> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
