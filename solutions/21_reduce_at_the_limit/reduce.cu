// reduction at the limit: one launch reads the data once, as fast as the memory delivers, and leaves the finished sum
// on the card. A thread asks for eight vectors of 16 bytes before it uses the first. Each block takes one tile, adds
// its sum to the total by one atomic, and ends. The block that adds last knows it, and writes the result.
#include <cstdint>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffff;

// 16 bytes, the widest load of a thread.
template <class T>
struct alignas(16) Vector {
  static constexpr int kEach = 16 / sizeof(T);
  T at[kEach];
};

template <class T>
static __device__ T g_total;  // of the last call

// Ints: the upper half is the sum of the blocks that have finished, and the lower half is their number. An atomic
// changes both at once. The sum wraps at the upper end, and the number never grows into the sum: a grid has fewer than
// 2^31 blocks. Zero when the program starts; every call leaves it zero.
static __device__ unsigned long long g_sum_and_blocks;

// Other types: the sums of the blocks, as many as the longest array needs, and the number of blocks that have stored
// theirs. Every call leaves this number zero.
constexpr int kMostBlocks = 1 << 18;
template <class T>
static __device__ T g_sums[kMostBlocks];
static __device__ unsigned g_tickets;

// The sum over all lanes, in lane 0. All 32 lanes of the warp call it together.
template <class T>
static __device__ T warp_sum(T sum) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(kAllLanes, sum, offset);
  return sum;
}

// The sum over all threads of the block, in thread 0.
template <int kBlock, class T>
static __device__ T block_sum(T sum) {
  __shared__ T s_warp_sums[kBlock / kWarp];
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  sum = warp_sum(sum);
  if (lane == 0) s_warp_sums[warp] = sum;
  // Warp 0 reads the sums that the other warps write here.
  __syncthreads();
  return warp == 0 ? warp_sum(lane < kBlock / kWarp ? s_warp_sums[lane] : T{}) : T{};
}

template <class T>
static __device__ T vector_sum(const Vector<T>& v) {
  T sum = v.at[0];
#pragma unroll
  for (int e = 1; e < Vector<T>::kEach; ++e) sum += v.at[e];
  return sum;
}

// Ints: one atomic adds the block's sum and counts the block. Their sum is the same in any order.
template <int kBlock>
static __device__ void finish(unsigned sum) {
  sum = block_sum<kBlock>(sum);
  if (threadIdx.x != 0) return;
  // The atomic itself carries the sum, so no fence is needed: nothing else has to be visible to the last block.
  const unsigned long long own = static_cast<unsigned long long>(sum) << 32 | 1;
  const unsigned long long now = atomicAdd(&g_sum_and_blocks, own) + own;
  if (static_cast<unsigned>(now) != gridDim.x) return;
  g_total<unsigned> = static_cast<unsigned>(now >> 32);
  atomicExch(&g_sum_and_blocks, 0);  // all blocks have added; the next call begins with zero
}

// Other types: a long long does not fit beside a number of blocks. A float would, but each order of additions rounds in
// its own way, and blocks end in any order. So each block stores its sum and takes a ticket. The block with the last
// ticket adds all sums, in the same order in every call.
template <int kBlock, class T>
static __device__ void finish(T sum) {
  __shared__ bool s_is_last;
  sum = block_sum<kBlock>(sum);
  if (threadIdx.x == 0) {
    g_sums<T>[blockIdx.x] = sum;
    __threadfence();  // a block that sees the ticket sees the sum
    s_is_last = atomicAdd(&g_tickets, 1u) == gridDim.x - 1;
  }
  // All threads learn whether this block is the last.
  __syncthreads();
  if (!s_is_last) return;
  __threadfence();
  sum = T{};
  for (int i = threadIdx.x; i < gridDim.x; i += kBlock) sum += g_sums<T>[i];
  sum = block_sum<kBlock>(sum);
  if (threadIdx.x != 0) return;
  g_total<T> = sum;
  g_tickets = 0;
}

// One tile for each block, and no loop over tiles: the card gives the next tile to the multiprocessor that is free
// first.
template <class T, int kBlock, int kEach>
__global__ void __launch_bounds__(kBlock) reduce_tiles(const T* __restrict__ data, int n) {
  constexpr int kVector = Vector<T>::kEach;
  constexpr int kTile = kBlock * kEach;  // vectors of a block
  const int tid = threadIdx.x;
  // A vector must begin at a multiple of 16 bytes. Up to three elements lie before the first such address, and up to
  // three after the last whole vector.
  const int misaligned = reinterpret_cast<uintptr_t>(data) % sizeof(Vector<T>) / sizeof(T);
  const int before = min(n, (kVector - misaligned) % kVector);
  const int vectors = (n - before) / kVector, after = before + vectors * kVector;
  const auto* tiles = reinterpret_cast<const Vector<T>*>(data + before);
  const int begin = blockIdx.x * kTile;

  T sum{};
  if (begin + kTile <= vectors) {
    // All loads come before the first addition, and no load has a guard: so they are in flight together.
    Vector<T> v[kEach];
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

  finish<kBlock>(sum);
}

template <class T, int kBlock, int kEach>
static void launch(const T* data, int n) {
  constexpr int kTileElements = kBlock * kEach * Vector<T>::kEach;
  const int blocks = (n - 1) / kTileElements + 1;
  reduce_tiles<T, kBlock, kEach><<<blocks, kBlock>>>(data, n);
  CUDA_CHECK(cudaGetLastError());
}

// T: an unsigned integer or a float. The overflow of an int is undefined; an unsigned sum wraps.
template <class T>
static T reduce(const void* data, int n) {
  if (n == 0) return T{};  // a grid of no blocks is an invalid configuration
  // Up to 16 MiB all tiles fit on the card together, so that all of the data are in flight anyway. Small tiles spread
  // them over more multiprocessors. Above, large tiles: at the beginning and the end of a block nothing is in flight.
  constexpr int kSmall = (16 << 20) / sizeof(T);
  const auto* in = static_cast<const T*>(data);
  if (n <= kSmall)
    launch<T, 256, 4>(in, n);
  else
    launch<T, 512, 8>(in, n);

  T sum{};
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpyFromSymbol(&sum, g_total<T>, sizeof sum));
  return sum;
}

int reduce_sum(int* data, int n) { return static_cast<int>(reduce<unsigned>(data, n)); }
float reduce_sum_float(const float* data, int n) { return reduce<float>(data, n); }
long long reduce_sum_long(const long long* data, int n) {
  return static_cast<long long>(reduce<unsigned long long>(data, n));
}
