// reduction, shuffles: the solution of lab 17 for three types, and it works. Each thread adds eight elements in a
// register, the lanes of a warp pass their sums to each other in five shuffles, and the sums of the warps meet in
// shared memory after the only barrier. Goal of this lab: four times the bytes in flight, and the finished sum on the
// card after this one launch.
#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kBlock = 512;  // threads of a block
constexpr int kWarp = 32;
constexpr int kWarps = kBlock / kWarp;   // of a block; at most 32, so that one warp can add their sums
constexpr int kUnroll = 8;               // blocks of data that a block of threads takes
constexpr int kTile = kUnroll * kBlock;  // elements of a block
// TODO 1 (5 lines): a vector has 16 bytes, so four ints or two long longs. From now on a tile is measured in vectors.
constexpr unsigned kAllLanes = 0xffffffff;

// The sum over all lanes, in lane 0; the other lanes get a useless value. All 32 lanes of the warp call it together.
template <class T>
static __device__ T warp_sum(T sum) {
#pragma unroll
  for (int offset = kWarp / 2; offset > 0; offset /= 2) sum += __shfl_down_sync(kAllLanes, sum, offset);
  return sum;
}

// TODO 2 (about 6 lines): variables of the device. For ints: the sum of the blocks that have finished (above) and their
// number (below) in 64 bits. For other types: the sums of all blocks, 2^18 at most, and the number of tickets. For each
// type: the finished sum.

template <class T>
__global__ void reduce_shuffle(const T* __restrict__ data, int n, T* __restrict__ block_sums) {
  __shared__ T s_warp_sums[kWarps];
  const int tid = threadIdx.x;
  const int lane = tid % kWarp;
  const int warp = tid / kWarp;
  const int first = blockIdx.x * kTile;
  const T* tile = data + first;
  const int count = min(n - first, kTile);  // elements of this tile; the last tile may hold fewer

  // No early return: a thread without elements keeps its zero and takes part, because the shuffles name all 32 lanes.
  // TODO 3 (about 15 lines): a thread of a whole tile makes eight loads of 16 bytes before it adds, without guards. The
  // last tile takes another way, a loop with a guard.
  // TODO 4 (about 8 lines): data may begin at any element. Find the first address that is a multiple of 16. Block 0
  // adds the up to three elements before it, and the up to three elements after the last vector.
  T sum{};
#pragma unroll
  for (int k = 0; k < kUnroll; ++k) {
    const int i = tid + k * kBlock;
    // A guard for each element: in the last tile only some of a thread's eight elements exist.
    sum += i < count ? tile[i] : T{};
  }

  sum = warp_sum(sum);
  if (lane == 0) s_warp_sums[warp] = sum;
  // Warp 0 reads the sums that the other warps write here.
  __syncthreads();

  // The whole of warp 0 enters. A lane takes part with a zero if no warp has its number.
  if (warp == 0) {
    sum = warp_sum(lane < kWarps ? s_warp_sums[lane] : T{});
    // TODO 5 (about 6 lines), for ints: one atomic adds the block's sum and counts the block. The block that completes
    // the count stores the finished sum, and makes everything ready for the next call.
    // TODO 6 (about 15 lines), for other types: a block stores its sum and takes a ticket. The block with the last
    // ticket adds all sums in the order of the blocks.
    if (lane == 0) block_sums[blockIdx.x] = sum;
  }
}

// T: an unsigned integer or a float. The overflow of an int is undefined; an unsigned sum wraps.
template <class T>
static T reduce(const void* data, int n) {
  if (n == 0) return T{};  // a grid of no blocks is an invalid configuration
  const int blocks = (n - 1) / kTile + 1;

  // TODO 7 (2 lines, and 5 go): no array of sums any more; copy the finished sum with cudaMemcpyFromSymbol.
  T* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  reduce_shuffle<<<blocks, kBlock>>>(static_cast<const T*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());

  std::vector<T> sums(blocks);
  // Waits for the kernel, as both are on the default stream.
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return std::accumulate(sums.begin(), sums.end(), T{});
}

int reduce_sum(int* data, int n) { return static_cast<int>(reduce<unsigned>(data, n)); }
float reduce_sum_float(const float* data, int n) { return reduce<float>(data, n); }
long long reduce_sum_long(const long long* data, int n) {
  return static_cast<long long>(reduce<unsigned long long>(data, n));
}
