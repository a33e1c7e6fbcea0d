// scan, Blelloch, any length: each block makes the exclusive scan of a tile of 512 elements, work-efficient and free
// of bank conflicts, and tells the tile's sum; the sums are scanned the same way, and each tile adds what came before
// it. One allocation for all levels, and the host waits for nothing.
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
  const int i = blockIdx.x * kTile + tid;  // and i + kThreads: so that a warp's loads are neighbours

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

  if (tid == 0) {  // which made the last pair, and makes the first one below: no barrier is needed
    sums[blockIdx.x] = s_tile[padded(kTile - 1)];
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

// Fan-out. offsets[t] is the sum of tiles 0 … t - 1; tile 0 needs nothing.
__global__ void add_offsets(const float* __restrict__ offsets, int n, float* __restrict__ out) {
  const int tile = blockIdx.x + 1;
  const int i = tile * kTile + threadIdx.x;
  const float offset = offsets[tile];
  if (i < n) out[i] += offset;
  if (i < n - kThreads) out[i + kThreads] += offset;
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
  scan_tiles<<<tiles, kThreads>>>(in, n, out, sums);
  CUDA_CHECK(cudaGetLastError());
  if (tiles == 1) return;
  scan_level(sums, tiles, offsets, offsets + tiles);
  add_offsets<<<tiles - 1, kThreads>>>(offsets, n, out);
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
