// scan, Blelloch, padded: the scan of 08 with one unused word after every 32 elements of the tile. Elements that lie a
// power of two apart then lie in different banks, and no access to shared memory has a conflict.
#include <cassert>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads
constexpr int kTile = 2 * kBlock;  // elements, two a thread; a power of two, so that every node has two equal halves
constexpr int kBanks = 32;         // of shared memory, each a word of four bytes wide

// The word of element i: after every 32 elements comes one unused word.
__host__ __device__ constexpr int padded(int i) { return i + i / kBanks; }

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_tile[padded(kTile)];
  const int tid = threadIdx.x;

  // Zeros beyond n: the tree is always that of a full tile.
  s_tile[padded(tid)] = tid < n ? in[tid] : 0.0f;
  s_tile[padded(tid + kBlock)] = tid + kBlock < n ? in[tid + kBlock] : 0.0f;

  // Up-sweep: the last element of a node of 2 * stride elements gets their sum.
  for (int stride = 1; stride < kTile; stride *= 2) {
    // Other threads wrote this pair: when they filled the tile, or in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) s_tile[padded(right)] += s_tile[padded(left)];
  }

  // The sum before the root is 0. Thread 0 itself wrote the root's sum, so no barrier is needed here.
  if (tid == 0) s_tile[padded(kTile - 1)] = 0.0f;

  // Down-sweep: a node holds the sum before it. Its left half gets the same; its right half adds the left half's sum.
  for (int stride = kTile / 2; stride > 0; stride /= 2) {
    // Another thread wrote the sum before this node, in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) {
      const float before = s_tile[padded(right)];
      const float left_sum = s_tile[padded(left)];
      s_tile[padded(left)] = before;
      s_tile[padded(right)] = before + left_sum;
    }
  }

  // Other threads finished the elements that this thread stores.
  __syncthreads();
  if (tid < n) out[tid] = s_tile[padded(tid)];
  if (tid + kBlock < n) out[tid + kBlock] = s_tile[padded(tid + kBlock)];
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kTile);  // one block; lab 10 joins the tiles of many blocks
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
