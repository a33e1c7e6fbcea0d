// scan, shuffles: tiles of 1024 elements as in 07, but sums stay in registers. A warp scans 32 elements by shuffles,
// without shared memory and without barriers. Then one warp scans the 32 warp sums, and every warp adds the sum of all
// warps before it. A block meets two barriers, where 06 and 07 have ten.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kTile = 1024;  // elements, and threads, of a block
constexpr int kWarp = 32;
constexpr int kWarps = kTile / kWarp;  // also 32, so that one warp can scan all warp sums
constexpr unsigned kAllLanes = 0xffffffff;

// The sum of x over this lane and all lanes to its left. All lanes of the warp have to call it.
__device__ float scan_warp(float x) {
  const int lane = threadIdx.x % kWarp;
  for (int stride = 1; stride < kWarp; stride *= 2) {
    // Outside the if: every lane of the mask has to take part, even if it only passes its sum to the right.
    const float left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The sum of x over this thread and all threads before it. All threads of the block have to call it.
__device__ float scan_block(float x) {
  __shared__ float s_before[kWarps];  // first the sum of each warp, then of all warps up to it
  const int lane = threadIdx.x % kWarp;
  const int warp = threadIdx.x / kWarp;

  x = scan_warp(x);
  if (lane == kWarp - 1) s_before[warp] = x;
  // Warp 0 reads the sums of all warps.
  __syncthreads();
  if (warp == 0) s_before[lane] = scan_warp(s_before[lane]);
  // All warps read the scanned sums that warp 0 wrote.
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
