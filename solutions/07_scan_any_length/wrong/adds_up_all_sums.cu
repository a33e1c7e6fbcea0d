// caught by: rule.traffic
// The result is right, but the tile sums are not scanned. Every tile adds the sums of all tiles before it, and this
// work grows as n².
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kTile = 1024;  // elements, and threads, of a block; a power of two

// Scans each tile by itself. sums[t] becomes the sum of tile t. Lab 06, but for two lines.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_sum[2][kTile];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * kTile + tid;

  // No early return for i >= n: every thread has to come to the barriers. Zeros change no sum.
  float sum = i < n ? in[i] : 0;  // of the last `stride` elements up to this one
  int buffer = 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[buffer][tid] = sum;
    // The thread to the right reads this sum. And nobody gets here while others still read the buffer of the step
    // before: that is the one that the next step overwrites.
    __syncthreads();
    if (tid >= stride) sum += s_sum[buffer][tid - stride];
    buffer = 1 - buffer;
  }
  if (i < n) out[i] = sum;
  if (tid == kTile - 1) sums[blockIdx.x] = sum;  // of a short tile too, since it ends in zeros
}

// Fan-out. Tile 0 needs nothing.
__global__ void add_offsets(const float* __restrict__ sums, int n, float* __restrict__ out) {
  __shared__ float s_offset;
  if (threadIdx.x == 0) {
    float offset = 0;
    for (int tile = 0; tile <= blockIdx.x; ++tile) offset += sums[tile];
    s_offset = offset;
  }
  // All threads need what the first one has summed.
  __syncthreads();
  const int i = (blockIdx.x + 1) * kTile + threadIdx.x;
  if (i < n) out[i] += s_offset;
}

// Tiles that hold n > 0 elements, the last one perhaps not full. n / kTile would drop it.
static int tile_count(int n) { return (n - 1) / kTile + 1; }

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  const cudaStream_t stream = nullptr;
  const int tiles = tile_count(n);
  float* sums = nullptr;
  CUDA_CHECK(cudaMallocAsync(&sums, tiles * sizeof *sums, stream));
  scan_tiles<<<tiles, kTile>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  if (tiles > 1) add_offsets<<<tiles - 1, kTile>>>(sums, n, out);
  CUDA_CHECK(cudaGetLastError());
  // Takes its turn in the stream, after the kernels; cudaFree would make the host wait for them.
  CUDA_CHECK(cudaFreeAsync(sums, stream));
}
