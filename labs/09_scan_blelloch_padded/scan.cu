// scan, Blelloch: the kernel of 08, which works. One block of 256 threads, a tile of 512 elements in shared memory,
// 1,022 additions. But its strides are powers of two, so that several lanes of a warp want the same bank: 300 conflicts
// of loads and 225 of stores.
//
// To do: one unused word after every 32 elements of the tile. Then there is no conflict left.
//
// TODO 1 (2 lines): a function padded(i): the number of the word in which element i then lies.
// TODO 2 (1 line): the size of s_tile. How many words do 512 elements take?
// TODO 3 (11 places): padded() around every index into s_tile. An index without it means another element.
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
