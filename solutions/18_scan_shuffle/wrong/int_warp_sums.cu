// caught by: case.scan_inclusive.33
// The warp sums are stored as ints: their fractions vanish.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kTile = 1024;  // elements, and threads, of a block
constexpr int kWarp = 32;
constexpr int kWarps = kTile / kWarp;  // 32 as well: one warp can scan the sums of all
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of x over this lane and all lanes to its left. All lanes of the warp have to call it.
__device__ float scan_warp(float x) {
  const int lane = threadIdx.x % kWarp;
  for (int stride = 1; stride < kWarp; stride *= 2) {
    // Outside the if: every lane of the mask has to take part, if only to hand its sum to the right.
    const float left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The sum of x over this thread and all threads before it. All threads of the block have to call it.
__device__ float scan_block(float x) {
  __shared__ int s_before[kWarps];  // first the sum of each warp, then of all warps up to it
  const int lane = threadIdx.x % kWarp;
  const int warp = threadIdx.x / kWarp;

  x = scan_warp(x);
  if (lane == kWarp - 1) s_before[warp] = x;
  // Warp 0 reads the sums of all warps.
  __syncthreads();
  if (warp == 0) s_before[lane] = scan_warp(s_before[lane]);
  // All warps read what warp 0 has made of them.
  __syncthreads();
  return warp > 0 ? s_before[warp - 1] + x : x;
}

// Scans each tile by itself. sums[t] becomes the sum of tile t.
__global__ void scan_tiles(const float* __restrict__ in, int n, float* __restrict__ out, float* __restrict__ sums) {
  const int tid = threadIdx.x;
  const int i = blockIdx.x * kTile + tid;

  // No early return for i >= n: every thread has to come to the shuffles and the barriers. Zeros change no sum.
  const float sum = scan_block(i < n ? in[i] : 0);
  if (i < n) out[i] = sum;
  if (tid == kTile - 1) sums[blockIdx.x] = sum;  // of a short tile too, since it ends in zeros
}

// Fan-out. offsets[t] is the sum of tiles 0 … t, so that tile t + 1 needs it; tile 0 needs nothing.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  const int i = (blockIdx.x + 1) * kTile + threadIdx.x;
  if (i < n) out[i] += offsets[blockIdx.x];
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

// The inclusive scan of all but the last element, moved one to the right.
void scan_exclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // there is no out[0] to set
  CUDA_CHECK(cudaMemsetAsync(out, 0, sizeof *out));
  scan_inclusive(in, n - 1, out + 1);
}
