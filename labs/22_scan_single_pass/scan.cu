// scan, single pass: one kernel loads each element once and stores it once. A block scans its tile in registers. In
// this file a tile does not know the tiles before it, so the result is right for one tile only.
//
// The scan of a tile is finished: it is lab 18's, with 16 bytes in each load and store. Do the TODOs in order. They are
// the words through which the tiles talk, and the look-back.
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kWarp = 32;
constexpr int kBlock = 256;  // threads
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

// A thread holds kRows vectors. Short arrays have small tiles, so that many multiprocessors take part. Long arrays have
// large ones: 64 KiB asked for before anything is used, and few words to look at.
constexpr int kSmallRows = 2, kLargeRows = 16;
constexpr size_t kSmallBytes = size_t{8} << 20;  // the longest array with small tiles

// 16 bytes, the widest load of a thread.
template <class T>
struct alignas(16) Vector {
  static constexpr int kEach = 16 / sizeof(T);
  T at[kEach];
};

template <class T>
__host__ __device__ constexpr size_t tile_elements(int rows) {
  return size_t{kBlock} * rows * Vector<T>::kEach;
}

// A tile publishes its own sum as soon as it has it, and later the sum of everything up to its end, the prefix. A word
// has a tag above and 32 bits of the sum below. Both travel in one access: a thread that sees the tag has the sum, and
// no fence is needed. The tag also holds the number of the call. Words of earlier calls do not match, so that nobody
// has to clear them.
using Word = unsigned long long;
enum Kind : unsigned { kOwnSum, kPrefix };
__device__ unsigned tag_of(unsigned call, Kind kind) { return 2 * call + kind; }

// The words of the longest array: 2^31 elements of 8 bytes, two words for each tile. This variable of the device needs
// no allocation, and is full of zeros at first. There is one for the whole program, so that two scans must not run at
// the same time.
__device__ Word g_words[2 * (size_t{8} << 31) / (size_t{kBlock} * kLargeRows * 16)];

// What a tile has published: one word for a sum of 4 bytes; two for 8 bytes, each with the tag.
template <class T>
struct Status {
  static constexpr int kWords = sizeof(T) / 4;
  Word word[kWords];

  // Relaxed, because nothing is passed on beside the word itself; and atomic, so that the compiler loads it anew in
  // every turn of a loop.
  __device__ static Status read(unsigned tile) {
    Status status;
    for (int k = 0; k < kWords; ++k)
      status.word[k] = __nv_atomic_load_n(&g_words[tile * kWords + k], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    return status;
  }
  __device__ static void write(unsigned tile, unsigned tag, T sum) {
    unsigned half[kWords];
    memcpy(half, &sum, sizeof sum);
    for (int k = 0; k < kWords; ++k) {
      const Word word = half[k];  // TODO 1 (1 line): the tag above, this half of the sum below
      __nv_atomic_store_n(&g_words[tile * kWords + k], word, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    }
  }
  // Both words: between the two loads the tile's sum may have become a prefix.
  __device__ bool has(unsigned tag) const {
    return tag == 0;  // TODO 2 (3 lines): whether every word has this tag
  }
  __device__ T sum() const {
    unsigned half[kWords];
    for (int k = 0; k < kWords; ++k) half[k] = static_cast<unsigned>(word[k]);
    T sum;
    memcpy(&sum, half, sizeof sum);
    return sum;
  }
};

// The sum of x over this lane and all lanes to its left. All lanes of the warp have to call it.
template <class T>
__device__ T scan_warp(T x) {
  const int lane = threadIdx.x % kWarp;
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const T left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The sum of all tiles before this one. One warp calls it; lane 0 has the nearest tile.
template <class T>
__device__ T look_back(unsigned tile, unsigned call) {
  // TODO 4 (about 17 lines):
  //   each lane reads the word of one tile, again and again until all that is needed is there
  //   two ballots: which lanes have a prefix, and which lanes have the tile's own sum
  //   needed are the lanes up to the first prefix, and all 32 lanes if there is none
  //   needed lanes add what they have; without a prefix, go on with the 32 tiles before
  return T{};
}

// The vectors of a thread. Row r of a warp is 32 neighbouring vectors, 512 bytes, so that each load and store of a warp
// covers whole sectors without a detour through shared memory.
template <class T, int kRows>
struct Rows {
  static constexpr int kEach = Vector<T>::kEach;
  Vector<T> v[kRows];

  // first: the thread's first element. whole: all vectors are inside the array and aligned.
  __device__ void load(const T* __restrict__ in, size_t first, size_t n, bool whole) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const size_t i = first + r * kWarp * kEach;
      if (whole) {
        v[r] = *reinterpret_cast<const Vector<T>*>(in + i);
      } else {
        for (int e = 0; e < kEach; ++e) v[r].at[e] = i + e < n ? in[i + e] : T{};
      }
    }
  }

  // Scans the warp's rows in place, one after the other as they lie in memory. Returns the sum of all, in every lane.
  __device__ T scan() {
    T before{};
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      for (int e = 1; e < kEach; ++e) v[r].at[e] += v[r].at[e - 1];
      const T upto = scan_warp(v[r].at[kEach - 1]);
      T left = __shfl_up_sync(kAllLanes, upto, 1);
      if (threadIdx.x % kWarp == 0) left = T{};
      for (int e = 0; e < kEach; ++e) v[r].at[e] += before + left;
      before += __shfl_sync(kAllLanes, upto, kWarp - 1);
    }
    return before;
  }

  __device__ void store(T* __restrict__ out, size_t first, size_t n, bool whole, T before) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const size_t i = first + r * kWarp * kEach;
      for (int e = 0; e < kEach; ++e) v[r].at[e] += before;
      if (whole) {
        *reinterpret_cast<Vector<T>*>(out + i) = v[r];
      } else {
        for (int e = 0; e < kEach; ++e)
          if (i + e < n) out[i + e] = v[r].at[e];
      }
    }
  }
};

template <class T, int kRows>
__global__ void __launch_bounds__(kBlock)
    scan_tiles(const T* __restrict__ in, size_t n, T* __restrict__ out, bool aligned, unsigned call) {
  __shared__ T s_sum[kWarps], s_before;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned tile = blockIdx.x;
  const size_t first = tile * tile_elements<T>(kRows) + (warp * kRows * kWarp + lane) * Vector<T>::kEach;
  const bool whole = aligned && (tile + 1) * tile_elements<T>(kRows) <= n;

  Rows<T, kRows> rows;
  rows.load(in, first, n, whole);
  const T warp_sum = rows.scan();
  if (lane == 0) s_sum[warp] = warp_sum;
  // Every warp reads the sums of all warps.
  __syncthreads();
  const T upto = scan_warp(lane < kWarps ? s_sum[lane] : T{});
  T before = __shfl_sync(kAllLanes, upto, warp - 1);  // for warp 0 it means nothing
  if (warp == 0) before = T{};

  if (warp == 0) {
    const T tile_sum = __shfl_sync(kAllLanes, upto, kWarps - 1);
    // At once, before this block waits for anything: later tiles wait for it.
    if (lane == 0) Status<T>::write(tile, tag_of(call, kOwnSum), T{});  // TODO 3 (1 line): the tile's own sum
    const T earlier = look_back<T>(tile, call);
    if (lane == 0) {
      // TODO 5 (1 line): publish the prefix
      s_before = earlier;
    }
  }
  // All warps add what warp 0 has found.
  __syncthreads();
  rows.store(out, first, n, whole, s_before + before);
}

template <class T, int kRows>
static void launch(const T* in, size_t n, T* out, unsigned call) {
  const bool aligned = (reinterpret_cast<uintptr_t>(in) | reinterpret_cast<uintptr_t>(out)) % sizeof(Vector<T>) == 0;
  const size_t tiles = (n - 1) / tile_elements<T>(kRows) + 1;
  scan_tiles<T, kRows><<<static_cast<unsigned>(tiles), kBlock>>>(in, n, out, aligned, call);
  CUDA_CHECK(cudaGetLastError());
}

// One counter for all types, because they share the words. Its lower 31 bits are in the tags: a word could be taken for
// a new one only after 2^31 calls that all left it alone.
static unsigned g_calls = 0;

template <class T>
static void scan(const T* in, int n, T* out) {
  if (n == 0) return;             // a grid of no blocks is an invalid configuration
  const unsigned call = g_calls;  // TODO 6 (1 line): a number that no earlier call had
  if (n * sizeof(T) <= kSmallBytes)
    launch<T, kSmallRows>(in, n, out, call);
  else
    launch<T, kLargeRows>(in, n, out, call);
}

void scan_inclusive(const float* in, int n, float* out) { scan(in, n, out); }

// The inclusive scan of all elements but the last, moved one place to the right.
void scan_exclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // there is no out[0] to set
  CUDA_CHECK(cudaMemsetAsync(out, 0, sizeof *out));
  scan_inclusive(in, n - 1, out + 1);
}

// The overflow of an int is undefined; an unsigned sum wraps.
void scan_inclusive_int(const int* in, int n, int* out) {
  scan(reinterpret_cast<const unsigned*>(in), n, reinterpret_cast<unsigned*>(out));
}
void scan_inclusive_long(const long long* in, int n, long long* out) {
  scan(reinterpret_cast<const unsigned long long*>(in), n, reinterpret_cast<unsigned long long*>(out));
}
