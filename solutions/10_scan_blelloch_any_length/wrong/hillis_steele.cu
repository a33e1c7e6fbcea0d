// caught by: rule.additions
// The result is right and no access has a conflict, but the tiles are scanned as in labs 06 and 07, moved one to the
// right. That takes eight additions an element where two are enough.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;        // threads of the fan-out
constexpr int kTile = 2 * kBlock;  // elements, and threads of a block that scans

// Scans each tile by itself, exclusive. sums[t] becomes the sum of tile t.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  __shared__ float s_sum[2][kTile];
  const int tid = threadIdx.x;
  const int i = blockIdx.x * kTile + tid;

  // No early return beyond n: every thread has to come to the barriers. Zeros change no sum.
  float sum = i < n ? in[i] : 0.0f;  // of the last `stride` elements up to this one
  int buffer = 0;
  for (int stride = 1; stride < kTile; stride *= 2) {
    s_sum[buffer][tid] = sum;
    // The thread to the right reads this sum, and nobody still reads the buffer that the next step overwrites.
    __syncthreads();
    if (tid >= stride) sum += s_sum[buffer][tid - stride];
    buffer = 1 - buffer;
  }
  s_sum[buffer][tid] = sum;
  // The thread to the right stores this sum.
  __syncthreads();
  if (i < n) out[i] = tid > 0 ? s_sum[buffer][tid - 1] : 0.0f;
  if (tid == kTile - 1) sums[blockIdx.x] = sum;
}

// Fan-out. offsets[t] is the sum of tiles 0 … t - 1; tile 0 needs nothing.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  const int tile = blockIdx.x + 1;
  const int first = tile * kTile + threadIdx.x;
  const int second = first + kBlock;
  const float offset = offsets[tile];
  if (first < n) out[first] += offset;
  if (second < n) out[second] += offset;
}

// Tiles that hold n > 0 elements, the last one perhaps not full. n / kTile would drop it.
static int tile_count(int n) { return (n - 1) / kTile + 1; }

// Scratch of all levels: at each, a sum for every tile, and as many offsets, which are the scanned sums.
static size_t scratch_floats(int n) {
  const int tiles = tile_count(n);
  return 2 * static_cast<size_t>(tiles) + (tiles > 1 ? scratch_floats(tiles) : 0);
}

// Kernels of one stream run one after the other, so that nothing here waits, and nothing is allocated.
static void scan_level(const float* in, int n, float* out, float* scratch) {
  const int tiles = tile_count(n);
  float* sums = scratch;
  float* offsets = sums + tiles;
  scan_tiles<<<tiles, kTile>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  if (tiles == 1) return;
  scan_level(sums, tiles, offsets, offsets + tiles);
  add_offsets<<<tiles - 1, kBlock>>>(offsets, n, out);
  CUDA_CHECK(cudaGetLastError());
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
