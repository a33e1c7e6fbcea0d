// scan, any length: the working scan of 07, as the start of this lab. Tiles of 1024 elements are scanned in shared
// memory, in ten steps with a barrier each; the tile sums are scanned in the same way, and added.
//
// The goal: the same tiles with two barriers. Only scan_tiles and the functions that it calls change. The host
// functions and add_offsets stay as they are; scan_exclusive at the end is new, and finished.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kTile = 1024;  // elements, and threads, of a block; a power of two

// Scans each tile by itself. sums[t] becomes the sum of tile t.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_sum[2][kTile];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * kTile + tid;

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
  if (tid == kTile - 1) sums[blockIdx.x] = sum;  // of a short tile too, since it ends in zeros
}

// Fan-out. offsets[t] is the sum of tiles 0 … t, so tile t + 1 adds it; tile 0 adds nothing.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  const int i = (blockIdx.x + 1) * kTile + threadIdx.x;
  if (i < n) out[i] += offsets[blockIdx.x];
}

// The number of tiles for n > 0 elements; the last one may not be full. n / kTile would drop it.
static int tile_count(int n) { return (n - 1) / kTile + 1; }

// Scratch memory of all levels. Each level has a sum and an offset for every tile; the offsets are the scanned sums.
static size_t scratch_floats(int n) {
  const int tiles = tile_count(n);
  return 2 * static_cast<size_t>(tiles) + (tiles > 1 ? scratch_floats(tiles) : 0);
}

// Kernels of one stream run one after the other, so the host need not wait here. Nothing is allocated.
static void scan_level(const float* in, int n, float* out, float* scratch) {
  const int tiles = tile_count(n);
  float* sums = scratch;
  float* offsets = sums + tiles;
  scan_tiles<<<tiles, kTile>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  if (tiles == 1) return;
  scan_level(sums, tiles, offsets, offsets + tiles);
  add_offsets<<<tiles - 1, kTile>>>(offsets, n, out);
  CUDA_CHECK(cudaGetLastError());
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

// The inclusive scan of all elements but the last, moved one place to the right.
void scan_exclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // there is no out[0] to set
  CUDA_CHECK(cudaMemsetAsync(out, 0, sizeof *out));
  scan_inclusive(in, n - 1, out + 1);
}
