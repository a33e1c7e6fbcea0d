// scan, Blelloch: one block of 256 threads scans a tile of 512 elements, exclusive, in shared memory. The up-sweep
// sums pairs, then pairs of pairs, up to the root; the down-sweep gives every node the sum of all elements before it.
// It makes 2 · 511 additions, where a Hillis-Steele scan makes 4,097. But the strides are powers of two, so several
// lanes of a warp want the same bank.
#include <cassert>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads
constexpr int kTile = 2 * kBlock;  // elements, two a thread; a power of two, so that every node has two equal halves

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_tile[kTile];
  const int tid = threadIdx.x;

  // Zeros beyond n: the tree is always that of a full tile.
  s_tile[tid] = tid < n ? in[tid] : 0.0f;
  s_tile[tid + kBlock] = tid + kBlock < n ? in[tid + kBlock] : 0.0f;

  // Up-sweep: the last element of a node of 2 * stride elements gets their sum.
  // Not unrolled: if the compiler knows the strides, it joins two neighbouring words into one access of 8 bytes. Then
  // the conflicts of the first step are no longer those of the tree.
#pragma unroll 1
  for (int stride = 1; stride < kTile; stride *= 2) {
    // Other threads wrote this pair: when they filled the tile, or in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) s_tile[right] += s_tile[left];
  }

  // The sum before the root is 0. Thread 0 itself wrote the root's sum, so no barrier is needed here.
  if (tid == 0) s_tile[kTile - 1] = 0.0f;

#pragma unroll 1
  // Down-sweep: a node holds the sum before it. Its left half gets the same; its right half adds the left half's sum.
  for (int stride = kTile / 2; stride > 0; stride /= 2) {
    // Another thread wrote the sum before this node, in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) {
      const float before = s_tile[right];
      const float left_sum = s_tile[left];
      s_tile[left] = before;
      s_tile[right] = before + left_sum;
    }
  }

  // Other threads finished the elements that this thread stores.
  __syncthreads();
  if (tid < n) out[tid] = s_tile[tid];
  if (tid + kBlock < n) out[tid + kBlock] = s_tile[tid + kBlock];
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kTile);  // one block; lab 10 joins the tiles of many blocks
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
