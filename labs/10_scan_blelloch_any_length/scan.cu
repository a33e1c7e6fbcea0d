// scan, Blelloch, any length: each block makes the exclusive scan of a tile of 512 elements, work-efficient and free
// of bank conflicts, and stores the tile's sum. The sums are scanned in the same way. Then each tile adds the sum of
// all tiles before it.
//
// This file is the scan of lab 09, right up to 512 elements, with room for the rest. It compiles and runs, but it
// handles only one tile. Do the TODOs in order; for the last three look at your own lab 07.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads
constexpr int kTile = 2 * kBlock;  // elements, two a thread; a power of two, so that every node has two equal halves
constexpr int kBanks = 32;         // of shared memory, each a word of four bytes wide

// The word of element i: after every 32 elements comes one unused word.
__host__ __device__ constexpr int padded(int i) { return i + i / kBanks; }

// Scans each tile by itself, exclusive. sums[t] becomes the sum of tile t. Lab 09, except for a few lines.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_tile[padded(kTile)];
  const int tid = threadIdx.x;
  const int first = tid;  // TODO 1 (1 line): the first of this thread's two elements, in the whole array
  const int second = first + kBlock;

  // No early return beyond n: every thread has to come to the barriers. Zeros change no sum.
  s_tile[padded(tid)] = first < n ? in[first] : 0.0f;
  s_tile[padded(tid + kBlock)] = second < n ? in[second] : 0.0f;

  // Up-sweep: the last element of a node of 2 * stride elements gets their sum.
  for (int stride = 1; stride < kTile; stride *= 2) {
    // Other threads wrote this pair: when they filled the tile, or in the step before.
    __syncthreads();
    const int right = 2 * stride * (tid + 1) - 1;
    const int left = right - stride;
    if (right < kTile) s_tile[padded(right)] += s_tile[padded(left)];
  }

  // The sum before the root is 0. Thread 0 itself wrote the root's sum, so no barrier is needed here.
  if (tid == 0) {
    sums[blockIdx.x] = 0;  // TODO 2 (1 line): the sum of the tile
    s_tile[padded(kTile - 1)] = 0.0f;
  }

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
  if (first < n) out[first] = s_tile[padded(tid)];
  if (second < n) out[second] = s_tile[padded(tid + kBlock)];
}

// Fan-out: each element of a tile adds the sum of all tiles before its own.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  // TODO 3 (5 lines): offsets[t] is the sum of tiles 0 … t - 1, and a thread has two elements
}

// The number of tiles for n > 0 elements; the last one may not be full.
static int tile_count(int n) {
  return n > 0 ? 1 : 0;  // TODO 4 (1 line): as in lab 07
}

// Scratch memory of all levels. Each level has a sum and an offset for every tile; the offsets are the scanned sums.
static size_t scratch_floats(int n) {
  const int tiles = tile_count(n);
  return 2 * static_cast<size_t>(tiles);  // TODO 5 (1 line): as in lab 07
}

static void scan_level(const float* in, int n, float* out, float* scratch) {
  const int tiles = tile_count(n);
  float* sums = scratch;
  scan_tiles<<<tiles, kBlock>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  // TODO 6 (5 lines): the sums, and the fan-out
}

void scan_exclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  const cudaStream_t stream = nullptr;
  float* scratch = nullptr;
  CUDA_CHECK(cudaMallocAsync(&scratch, scratch_floats(n) * sizeof *scratch, stream));
  scan_level(in, n, out, scratch);
  // Takes its turn in the stream, after the kernels; cudaFree would make the host wait for them.
  CUDA_CHECK(cudaFreeAsync(scratch, stream));
}
