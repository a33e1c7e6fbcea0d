// scan, any length: each block scans a tile of 1024 elements and stores the tile's sum. The sums are an array to scan
// like any other, only 1024 times shorter. Then each tile adds the sum of all tiles before it.
//
// This file is the scan of lab 06, right up to 1024 elements, with room for the rest. It compiles and runs, but it
// handles only one tile. Do the TODOs in order.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kTile = 1024;  // elements, and threads, of a block; a power of two

// Scans each tile by itself. sums[t] becomes the sum of tile t.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_sum[2][kTile];
  const int tid = threadIdx.x;
  const int i = tid;  // TODO 1 (1 line): the index in the whole array

  // No early return for i >= n: every thread has to come to the barriers. Zeros change no sum.
  float sum = i < n ? in[i] : 0;  // of the last `stride` elements up to this one
  int buffer = 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[buffer][tid] = sum;
    // The thread to the right reads this sum. And once all threads are here, none still reads the buffer of the step
    // before, which the next step overwrites.
    __syncthreads();
    if (tid >= stride) sum += s_sum[buffer][tid - stride];
    buffer = 1 - buffer;
  }
  if (i < n) out[i] = sum;
  if (tid == 0) sums[blockIdx.x] = 0;  // TODO 2 (1 line): the sum of the tile, also if n ends inside it
}

// Fan-out: each element of a tile adds the sum of all tiles before its own.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  // TODO 3 (2 lines): offsets[t] is the sum of tiles 0 … t. Which tiles need this kernel at all?
}

// The number of tiles for n > 0 elements; the last one may not be full.
static int tile_count(int n) {
  return n > 0 ? 1 : 0;  // TODO 4 (1 line): as many as n elements need
}

// Scratch memory of all levels. Each level has a sum and an offset for every tile; the offsets are the scanned sums.
static size_t scratch_floats(int n) {
  const int tiles = tile_count(n);
  return 2 * static_cast<size_t>(tiles);  // TODO 5 (1 line): and the levels below, if there is more than one tile
}

static void scan_level(const float* in, int n, float* out, float* scratch) {
  const int tiles = tile_count(n);
  float* sums = scratch;
  scan_tiles<<<tiles, kTile>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  // TODO 6 (5 lines): return if this was the only tile. Otherwise scan the sums, and add. The host must not wait.
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  const cudaStream_t stream = nullptr;
  float* scratch = nullptr;
  CUDA_CHECK(cudaMallocAsync(&scratch, scratch_floats(n) * sizeof *scratch, stream));
  scan_level(in, n, out, scratch);
  // Takes its turn in the stream, after the kernels; cudaFree would make the host wait for them.
  CUDA_CHECK(cudaFreeAsync(scratch, stream));
}
