// caught by: case.reduce_sum.1
// The usual form of the last step, with both of its fences. Nobody sets the number of tickets to zero again. So in the
// second call no block is the last one, and the result is that of the first call.
#include <cstdint>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kVector = 4;  // ints of a load of 16 bytes

static __device__ unsigned block_sums[1 << 19];  // of the largest grid
static __device__ unsigned tickets;              // blocks that have stored their sum
static __device__ unsigned total;

// The sum over all lanes, in lane 0. All 32 lanes of the warp call it together.
static __device__ unsigned warp_sum(unsigned sum) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(kAllLanes, sum, offset);
  return sum;
}

// The sum over all threads of the block, in thread 0.
template <int kBlock>
static __device__ unsigned block_sum(unsigned sum) {
  __shared__ unsigned s_warp_sums[kBlock / kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  sum = warp_sum(sum);
  if (lane == 0) s_warp_sums[warp] = sum;
  // Warp 0 reads the sums that the other warps write here.
  __syncthreads();
  return warp == 0 ? warp_sum(lane < kBlock / kWarp ? s_warp_sums[lane] : 0) : 0;
}

static __device__ unsigned vector_sum(const uint4& v) { return v.x + v.y + v.z + v.w; }

// One tile for each block, and no loop over tiles: the card gives the next tile to the multiprocessor that is free
// first. Unsigned, because an unsigned sum wraps; the overflow of an int is undefined.
template <int kBlock, int kEach>
__global__ void __launch_bounds__(kBlock) reduce_tiles(const unsigned* __restrict__ data, int n) {
  constexpr int kTile = kBlock * kEach;  // vectors of a block
  const int tid = threadIdx.x;
  // A vector must begin at a multiple of 16 bytes. Up to three ints lie before the first such address, and up to three
  // after the last whole vector.
  const int misaligned = reinterpret_cast<uintptr_t>(data) % sizeof(uint4) / sizeof(unsigned);
  const int before = min(n, (kVector - misaligned) % kVector);
  const int vectors = (n - before) / kVector, after = before + vectors * kVector;
  const uint4* tiles = reinterpret_cast<const uint4*>(data + before);
  const int begin = blockIdx.x * kTile;

  unsigned sum = 0;
  if (begin + kTile <= vectors) {
    // All loads come before the first addition, and no load has a guard: so they are in flight together.
    uint4 v[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) v[k] = tiles[begin + tid + k * kBlock];
#pragma unroll
    for (int k = 0; k < kEach; ++k) sum += vector_sum(v[k]);
  } else {
    // The last tile. Not unrolled: a short kernel also waits for its own code, which comes from memory.
#pragma unroll 1
    for (int i = begin + tid; i < vectors; i += kBlock) sum += vector_sum(tiles[i]);
  }
  if (blockIdx.x == 0) {
    if (tid < before) sum += data[tid];
    if (tid < n - after) sum += data[after + tid];
  }

  __shared__ bool s_is_last;
  sum = block_sum<kBlock>(sum);
  if (tid == 0) {
    block_sums[blockIdx.x] = sum;
    __threadfence();
    s_is_last = atomicAdd(&tickets, 1u) == gridDim.x - 1;
  }
  // All threads learn whether this block is the last.
  __syncthreads();
  if (!s_is_last) return;
  __threadfence();
  sum = 0;
  for (int i = tid; i < gridDim.x; i += kBlock) sum += block_sums[i];
  sum = block_sum<kBlock>(sum);
  if (tid != 0) return;
  total = sum;
}

template <int kBlock, int kEach>
static void launch(const unsigned* data, int n) {
  constexpr int kTileInts = kBlock * kEach * kVector;
  const int blocks = (n - 1) / kTileInts + 1;
  reduce_tiles<kBlock, kEach><<<blocks, kBlock>>>(data, n);
  CUDA_CHECK(cudaGetLastError());
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  // Up to 16 MiB all tiles fit on the card together, so that all of the data are in flight anyway. Small tiles spread
  // them over more multiprocessors. Above, large tiles: at the beginning and the end of a block nothing is in flight.
  constexpr int kSmall = 1 << 22;
  const unsigned* in = reinterpret_cast<const unsigned*>(data);
  if (n <= kSmall)
    launch<256, 4>(in, n);
  else
    launch<512, 8>(in, n);

  unsigned sum = 0;
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  return static_cast<int>(sum);
}
