// scan, Blelloch: one block of 256 threads scans a tile of 512 elements, exclusive, in shared memory. The up-sweep
// sums pairs, then pairs of pairs, up to the root; the down-sweep hands every node the sum of all that stands before
// it. 2 · 511 additions, where a Hillis-Steele scan makes 4,097. But the strides are powers of two, so that lanes of a
// warp meet at the same banks.
#include <cassert>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads
constexpr int kTile = 2 * kBlock;  // elements, two a thread; a power of two, or the tree does not come out even

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_tile[kTile];
  const int tid = threadIdx.x;

  // Beyond n zeros: the tree is always that of a full tile.
  s_tile[tid] = tid < n ? in[tid] : 0.0f;
  s_tile[tid + kBlock] = tid + kBlock < n ? in[tid + kBlock] : 0.0f;

  // Up: the last element of a node of 2 * stride elements receives their sum.
  // Not unrolled: with the strides known the compiler joins two words side by side into one access of 8 bytes, and the
  // first step's conflicts are no longer those of the tree.
#pragma unroll 1
  for (int stride = 1; stride < kTile; stride *= 2) {
    // The pair was written by other threads: as elements, or in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) s_tile[right] += s_tile[left];
  }

  // Nothing stands before the root. Thread 0 wrote its sum, so that no barrier is needed between the two.
  if (tid == 0) s_tile[kTile - 1] = 0.0f;

#pragma unroll 1
  // Down: a node knows the sum before it. Its left half begins there too, its right half after the sum of the left one.
  for (int stride = kTile / 2; stride > 0; stride /= 2) {
    // What stands before this node was written by another thread, in the step before.
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

  // The elements that this thread stores were finished by others.
  __syncthreads();
  if (tid < n) out[tid] = s_tile[tid];
  if (tid + kBlock < n) out[tid + kBlock] = s_tile[tid + kBlock];
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kTile);  // one block; lab 10 joins the tiles of many
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
