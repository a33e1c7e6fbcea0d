// scan, Blelloch: one block of 256 threads scans a tile of 512 elements, exclusive, in shared memory. The up-sweep
// sums pairs, then pairs of pairs, up to the root; the down-sweep gives every node the sum of all elements before it.
// It makes 2 · 511 additions, where a Hillis-Steele scan makes 4,097.
//
// This file compiles and runs as it is: it loads a tile and stores it unchanged. The two sweeps in between are missing.
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
  // TODO 1 (1 line): a loop over stride = 1, 2, 4, … kTile / 2. In its body:
  // TODO 2 (1 line, and a comment that says what it waits for): the barrier. Before the additions, or after them?
  // TODO 3 (3 lines): thread tid has node number tid: elements 2 * stride * tid to 2 * stride * (tid + 1) - 1. If that
  // node lies in the tile, add the last element of its left half to its own last element.

  // TODO 4 (1 line): the sum before the root is 0. Which thread wrote the root's sum? So no barrier is needed here.

  // Down-sweep: a node's last element holds the sum before the node; give it to the node's two halves.
  // TODO 5 (1 line): the loop of TODO 1, backwards. In its body:
  // TODO 6 (1 line and its comment): the barrier.
  // TODO 7 (8 lines): the same two elements as in TODO 3. The sum before the left half is the sum before the node; the
  // sum before the right half also contains the left half. Which type has the variable that you need in between?

  // TODO 8 (1 line and its comment): does this thread store elements that it has finished itself?
  if (tid < n) out[tid] = s_tile[tid];
  if (tid + kBlock < n) out[tid + kBlock] = s_tile[tid + kBlock];
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kTile);  // one block; lab 10 joins the tiles of many blocks
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
