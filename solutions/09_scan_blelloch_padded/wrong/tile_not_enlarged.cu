// caught by: guard
// The indices are padded and the array is not: element 511 lies in word 526 of 512.
#include <cassert>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads
constexpr int kTile = 2 * kBlock;  // elements, two a thread; a power of two, or the tree does not come out even
constexpr int kBanks = 32;         // of shared memory, each a word of four bytes wide

// The word of element i: every 32 elements are followed by one word that nobody uses.
__host__ __device__ constexpr int padded(int i) { return i + i / kBanks; }

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_tile[kTile];
  const int tid = threadIdx.x;

  // Beyond n zeros: the tree is always that of a full tile.
  s_tile[padded(tid)] = tid < n ? in[tid] : 0.0f;
  s_tile[padded(tid + kBlock)] = tid + kBlock < n ? in[tid + kBlock] : 0.0f;

  // Up: the last element of a node of 2 * stride elements receives their sum.
  for (int stride = 1; stride < kTile; stride *= 2) {
    // The pair was written by other threads: as elements, or in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) s_tile[padded(right)] += s_tile[padded(left)];
  }

  // Nothing stands before the root. Thread 0 wrote its sum, so that no barrier is needed between the two.
  if (tid == 0) s_tile[padded(kTile - 1)] = 0.0f;

  // Down: a node knows the sum before it. Its left half begins there too, its right half after the sum of the left one.
  for (int stride = kTile / 2; stride > 0; stride /= 2) {
    // What stands before this node was written by another thread, in the step before.
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

  // The elements that this thread stores were finished by others.
  __syncthreads();
  if (tid < n) out[tid] = s_tile[padded(tid)];
  if (tid + kBlock < n) out[tid + kBlock] = s_tile[padded(tid + kBlock)];
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kTile);  // one block; lab 10 joins the tiles of many
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
