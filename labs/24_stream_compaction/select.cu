// stream compaction in a single pass. The look-back of lab 22 stands here, with counts in place of sums, and so does
// the way of a tile through the kernel. Goal of this lab: each lane ranks its selected elements by ballots, the block
// publishes its count, and the selected elements leave side by side, 16 bytes for each lane.
#include <cstdint>

#include "common/check.h"
#include "common/contracts/select.h"

constexpr int kWarp = 32;
constexpr int kBlock = 128;  // threads
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;
constexpr int kVector = 4;  // ints of a load of 16 bytes

// A thread holds kRows vectors. Short arrays have small tiles, so that many multiprocessors take part; long arrays have
// tiles of 32 KiB, so that few words are looked at.
constexpr int kSmallRows = 4, kLargeRows = 16;
constexpr size_t kSmall = size_t{1} << 21;  // the longest array with small tiles, in elements

__host__ __device__ constexpr int tile_elements(int rows) { return kBlock * rows * kVector; }

__device__ inline bool is_selected(int x) { return x > 0; }

// A tile publishes its own count as soon as it has it, and later the count of everything up to its end, the prefix. A
// word has a tag above and the count below. The tag also holds the number of the call, so that nobody has to clear the
// words. One variable for the whole program: two calls must not run at the same time.
using Word = unsigned long long;
enum Kind : unsigned { kOwnCount, kPrefix };
__device__ static unsigned tag_of(unsigned call, Kind kind) { return 2 * call + kind; }
__device__ static Word g_words[(size_t{1} << 31) / tile_elements(kLargeRows)];

// Relaxed, because nothing is passed on beside the word itself; and atomic, so that the compiler loads it anew in every
// turn of a loop.
__device__ static Word read_word(unsigned tile) {
  return __nv_atomic_load_n(&g_words[tile], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ static void write_word(unsigned tile, unsigned tag, unsigned count) {
  __nv_atomic_store_n(&g_words[tile], Word{tag} << 32 | count, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// The sum of x over this lane and all lanes to its left. All lanes of the warp have to call it.
__device__ static unsigned scan_warp(unsigned x) {
  const int lane = threadIdx.x % kWarp;
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The selected elements of all tiles before this one. One warp calls it; lane 0 has the nearest tile.
__device__ static unsigned look_back(unsigned tile, unsigned call) {
  const int lane = threadIdx.x % kWarp;
  unsigned count = 0;
  for (int nearest = static_cast<int>(tile) - 1;; nearest -= kWarp) {
    const int earlier = nearest - lane;
    const bool none = earlier < 0;  // beyond tile 0: a prefix of zero
    Word word = 0;
    unsigned prefixes, ready, needed;
    do {
      if (!none) word = read_word(earlier);
      const auto tag = static_cast<unsigned>(word >> 32);
      prefixes = __ballot_sync(kAllLanes, none || tag == tag_of(call, kPrefix));
      ready = prefixes | __ballot_sync(kAllLanes, tag == tag_of(call, kOwnCount));
      needed = prefixes ^ (prefixes - 1);  // the lanes up to the first prefix
    } while ((ready & needed) != needed);
    if (!none && (needed >> lane & 1)) count += static_cast<unsigned>(word);
    if (prefixes != 0) return __shfl_sync(kAllLanes, scan_warp(count), kWarp - 1);
  }
}

// The vectors of a thread. Row r of a warp is 32 neighbouring vectors, as in lab 22.
template <int kRows>
struct Rows {
  int at[kRows][kVector];
  unsigned rank[kRows];  // of the thread's first selected element of the row, among those of the warp

  // first: the thread's first element. whole: all vectors are inside the array and aligned. What lies behind the array
  // is not selected.
  __device__ void load(const int* __restrict__ in, size_t first, size_t n, bool whole) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const size_t i = first + r * kWarp * kVector;
      if (whole) {
        *reinterpret_cast<int4*>(at[r]) = *reinterpret_cast<const int4*>(in + i);
      } else {
        for (int e = 0; e < kVector; ++e) at[r][e] = i + e < n ? in[i + e] : 0;
      }
    }
  }

  // Ranks the warp's selected elements and returns their number. A ballot for each place of a vector tells every lane
  // which lanes have selected theirs: no shuffles, no shared memory.
  __device__ unsigned rank_all() {
    const unsigned lanes_before = (1u << threadIdx.x % kWarp) - 1;
    unsigned count = 0;
    // TODO 1 (about 8 lines): for each row, and in it for each place of a vector: a ballot says which lanes have
    // selected theirs. rank[r] is the number of selected elements before this lane's first one in row r.
    for (int r = 0; r < kRows; ++r) rank[r] = 0;
    (void)lanes_before;
    return count;
  }

  __device__ void store_selected(int* out) const {
    // TODO 2 (about 5 lines): row r's selected elements go to out[rank[r]], out[rank[r] + 1], …
  }
};

// Stores `count` ints from shared memory, as vectors where the addresses allow it.
__device__ static void store_together(const int* s_from, int count, int* __restrict__ to) {
  // TODO 5 (about 9 lines): 16 bytes for each lane, where `to` is a multiple of 16. Up to three ints come before the
  // first such address, and up to three behind the last vector.
  for (int i = threadIdx.x; i < count; i += kBlock) to[i] = s_from[i];
}

template <int kRows>
__global__ void __launch_bounds__(kBlock)
    select_tiles(const int* __restrict__ in, size_t n, int* __restrict__ out, int* count, bool aligned, unsigned call) {
  __shared__ int s_selected[tile_elements(kRows)];
  __shared__ unsigned s_count[kWarps], s_earlier;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned tile = blockIdx.x;
  const size_t begin = size_t{tile} * tile_elements(kRows);
  const bool whole = aligned && begin + tile_elements(kRows) <= n;

  Rows<kRows> rows;
  rows.load(in, begin + (warp * kRows * kWarp + lane) * kVector, n, whole);
  const unsigned warp_count = rows.rank_all();
  if (lane == 0) s_count[warp] = warp_count;
  // Every warp reads the counts of all warps.
  __syncthreads();
  const unsigned upto = scan_warp(lane < kWarps ? s_count[lane] : 0);
  const unsigned tile_count = __shfl_sync(kAllLanes, upto, kWarps - 1);
  unsigned before = __shfl_sync(kAllLanes, upto, warp - 1);  // for warp 0 it means nothing
  if (warp == 0) before = 0;

  // At once, before this block waits for anything: later tiles wait for it.
  if (threadIdx.x == 0) write_word(tile, tag_of(call, kOwnCount), 0);  // TODO 3 (1 line): the tile's own count
  rows.store_selected(s_selected + before);
  if (warp == 0) {
    const unsigned earlier = look_back(tile, call);
    if (lane == 0) {
      // TODO 4 (2 lines): publish the prefix. The last tile stores the number of all selected elements.
      s_earlier = earlier;
    }
  }
  // All warps store what all warps have selected, behind what the tiles before have selected.
  __syncthreads();
  store_together(s_selected, static_cast<int>(tile_count), out + s_earlier);
}

template <int kRows>
static void launch(const int* in, size_t n, int* out, int* count, unsigned call) {
  const bool aligned = reinterpret_cast<uintptr_t>(in) % sizeof(int4) == 0;
  const size_t tiles = (n - 1) / tile_elements(kRows) + 1;
  select_tiles<kRows><<<static_cast<unsigned>(tiles), kBlock>>>(in, n, out, count, aligned, call);
  CUDA_CHECK(cudaGetLastError());
}

void select_positive(const int* in, int n, int* out, int* count) {
  if (n == 0) {  // a grid of no blocks is an invalid configuration
    CUDA_CHECK(cudaMemsetAsync(count, 0, sizeof *count));
    return;
  }
  static unsigned calls = 0;
  const unsigned call = ++calls;
  if (static_cast<size_t>(n) <= kSmall)
    launch<kSmallRows>(in, n, out, count, call);
  else
    launch<kLargeRows>(in, n, out, count, call);
}
