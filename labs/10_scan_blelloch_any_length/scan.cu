// scan, Blelloch, any length: each block makes the exclusive scan of a tile of 512 elements, work-efficient and free
// of bank conflicts, and tells the tile's sum; the sums are scanned the same way, and each tile adds what came before
// it.
//
// This file is the scan of lab 09, right up to 512 elements, with room for the rest: it compiles and runs, and knows
// one tile only. Do the TODOs in order; for the last three take your own lab 07 along.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kThreads = 256;        // of a block; a power of two
constexpr int kTile = 2 * kThreads;  // elements of a block
constexpr int kPadded = kTile + kTile / 32;

// One word of padding after every 32: strides that are powers of two no longer fall into one bank.
static __device__ int padded(int i) { return i + i / 32; }

// Scans each tile by itself, exclusively. sums[t] becomes the sum of tile t.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_tile[kPadded];
  const int tid = threadIdx.x;
  const int i = tid;  // TODO 1 (1 line): of this tile's elements, the thread takes i and i + kThreads

  // No early return for i >= n: every thread has to come to the barriers. Zeros change no sum.
  s_tile[padded(tid)] = i < n ? in[i] : 0;
  s_tile[padded(tid + kThreads)] = i < n - kThreads ? in[i + kThreads] : 0;

  // Up: pairs of neighbours, then pairs of pairs. The last element ends as the sum of the tile.
  int stride = 1;
  for (int pairs = kThreads; pairs > 0; pairs /= 2) {
    // Reads what other threads have loaded, or summed in the step before.
    __syncthreads();
    if (tid < pairs) {
      const int left = padded(stride * (2 * tid + 1) - 1);
      const int right = padded(stride * (2 * tid + 2) - 1);
      s_tile[right] += s_tile[left];
    }
    stride *= 2;
  }

  if (tid == 0) {          // which made the last pair, and makes the first one below: no barrier is needed
    sums[blockIdx.x] = 0;  // TODO 2 (1 line): the sum of the tile
    s_tile[padded(kTile - 1)] = 0;
  }

  // Down: each node hands its left child what came before it, and its right child that and the left one's sum.
  for (int pairs = 1; pairs <= kThreads; pairs *= 2) {
    stride /= 2;
    // Reads what other threads have handed down in the step before.
    __syncthreads();
    if (tid < pairs) {
      const int left = padded(stride * (2 * tid + 1) - 1);
      const int right = padded(stride * (2 * tid + 2) - 1);
      const float left_sum = s_tile[left];
      s_tile[left] = s_tile[right];
      s_tile[right] += left_sum;
    }
  }
  // The last step wrote what other threads store.
  __syncthreads();
  if (i < n) out[i] = s_tile[padded(tid)];
  if (i < n - kThreads) out[i + kThreads] = s_tile[padded(tid + kThreads)];
}

// Fan-out: each element of a tile adds the sum of all tiles before its own.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  // TODO 3 (5 lines): offsets[t] is the sum of tiles 0 … t - 1, and a thread has two elements
}

// Tiles that hold n > 0 elements, the last one perhaps not full.
static int tile_count(int n) {
  return 1;  // TODO 4 (1 line): as in lab 07
}

// Scratch of all levels: at each, a sum for every tile, and as many offsets, which are the scanned sums.
static size_t scratch_floats(int n) {
  const int tiles = tile_count(n);
  return 2 * static_cast<size_t>(tiles);  // TODO 5 (1 line): as in lab 07
}

static void scan_level(const float* in, int n, float* out, float* scratch) {
  const int tiles = tile_count(n);
  float* sums = scratch;
  scan_tiles<<<tiles, kThreads>>>(in, n, out, sums);
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
