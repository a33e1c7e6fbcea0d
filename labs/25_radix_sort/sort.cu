// radix sort, "onesweep". The passes stand here, and the way of a tile through a pass; but each key keeps its place.
// Goal of this lab: a block ranks the keys of its tile by a digit, publishes how many of each digit it has, learns by a
// look-back (lab 22) how many all tiles before have, and stores each key at its place.
#include <cstdint>

#include "common/check.h"
#include "common/contracts/sort.h"

constexpr int kWarp = 32;
constexpr int kBlock = 384;  // threads; at least one for each digit
constexpr int kWarps = kBlock / kWarp;
constexpr unsigned kAllLanes = 0xffffffff;

constexpr int kBits = 8, kDigits = 1 << kBits;
constexpr int kPasses = 32 / kBits;
static_assert(kBlock >= kDigits && kDigits % kWarp == 0);

// Keys of a thread. Large tiles have long runs of a digit, so that stores fill whole sectors, and fewer words to look
// at. A short array has small tiles, so that many multiprocessors take part.
constexpr int kSmallKeys = 4, kLargeKeys = 20;
constexpr int kSmall = 1 << 19;  // the longest array with small tiles

__device__ static int digit_of(unsigned key, int shift) { return key >> shift & (kDigits - 1); }

// The sum of x over this lane and all lanes to its left. All lanes of the warp have to call it.
__device__ static unsigned scan_warp(unsigned x) {
  const int lane = threadIdx.x % kWarp;
  for (int stride = 1; stride < kWarp; stride *= 2) {
    const unsigned left = __shfl_up_sync(kAllLanes, x, stride);
    if (lane >= stride) x += left;
  }
  return x;
}

// The sum of x over all threads before this one that have a digit. s_sums: a place for each warp that has digits. All
// threads of the block call it.
__device__ static unsigned scan_digits(unsigned x, unsigned* s_sums) {
  const int warp = threadIdx.x / kWarp;
  const bool has_digit = threadIdx.x < kDigits;
  const unsigned upto = scan_warp(x);
  if (has_digit && threadIdx.x % kWarp == kWarp - 1) s_sums[warp] = upto;
  // Every warp reads the sums of the warps before it.
  __syncthreads();
  unsigned before = upto - x;
  for (int w = 0; has_digit && w < warp; ++w) before += s_sums[w];
  return before;
}

// counts[p][d]: how many keys have the digit d in pass p. Zeros before.
__global__ void __launch_bounds__(kBlock)
    count_digits(const unsigned* __restrict__ keys, int n, int passes, unsigned (*counts)[kDigits]) {
  __shared__ unsigned s_counts[kPasses][kDigits];
  for (int i = threadIdx.x; i < kPasses * kDigits; i += kBlock) s_counts[i / kDigits][i % kDigits] = 0;
  // All counters are zero before the first thread counts.
  __syncthreads();
  const auto count = [&](unsigned key) {
    // TODO 1 (1 line): the key has a digit in each pass. Count all of them.
  };
  // Vectors of 16 bytes, and the few keys before and behind them.
  const int misaligned = reinterpret_cast<uintptr_t>(keys) % sizeof(uint4) / sizeof(unsigned);
  const int before = min(n, (4 - misaligned) % 4);
  const int vectors = (n - before) / 4, after = before + 4 * vectors;
  const uint4* vector = reinterpret_cast<const uint4*>(keys + before);
  const int first = blockIdx.x * kBlock + threadIdx.x, threads = gridDim.x * kBlock;
#pragma unroll 2
  for (int i = first; i < vectors; i += threads) {
    const uint4 v = vector[i];
    count(v.x), count(v.y), count(v.z), count(v.w);
  }
  if (first < before) count(keys[first]);
  if (first < n - after) count(keys[after + first]);
  // The block's counts are complete.
  __syncthreads();
  for (int i = threadIdx.x; i < passes * kDigits; i += kBlock) {
    const unsigned sum = s_counts[i / kDigits][i % kDigits];
    if (sum > 0) atomicAdd(&counts[i / kDigits][i % kDigits], sum);
  }
}

// What a tile has published of a digit, in 32 bits: zero is nothing; twice the prefix, plus 1; or its own count plus 1,
// twice. A prefix has at most 31 bits. Relaxed atomics: nothing is passed on beside the word itself.
__device__ static void publish_own(unsigned* word, unsigned count) {
  __nv_atomic_store_n(word, (count + 1) * 2, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}
__device__ static void publish_prefix(unsigned* word, unsigned prefix) {
  __nv_atomic_store_n(word, prefix * 2 + 1, __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
}

// The keys with the thread's digit in all tiles before this one, by the words of these tiles. Tile 0 has published a
// prefix, and so the loop ends there. Four words at once, because each look is a trip to the L2 cache.
__device__ static unsigned look_back(unsigned (*words)[kDigits], int tile) {
  constexpr int kLooks = 4;
  unsigned earlier = 0;
  for (int t = tile - 1;;) {
    unsigned word[kLooks];
#pragma unroll
    for (int k = 0; k < kLooks; ++k)
      word[k] = __nv_atomic_load_n(&words[max(t - k, 0)][threadIdx.x], __NV_ATOMIC_RELAXED, __NV_THREAD_SCOPE_DEVICE);
    // TODO 4 (about 6 lines): from the nearest word on. Zero: look again from this tile. A prefix: the rest is part of
    // it. An own count: add it and go on.
    return earlier + word[0];
  }
}

// The shared memory of a block.
template <int kKeys, bool kPairs>
struct Tile {
  static constexpr int kSize = kBlock * kKeys;
  unsigned keys[kSize];
  unsigned values[kPairs ? kSize : 1];
  unsigned next[kWarps][kDigits];   // of each warp: first counts, then the place of its next key with this digit
  unsigned peers[kWarps][kDigits];  // the lanes that have this digit now; zeros between two keys
  unsigned to[kDigits];             // from a place in the tile to a place in the output
  unsigned sums[2][kDigits / kWarp];
};

// The place in the tile of this lane's key. All lanes of the warp have to call it, for one key after the other.
template <class Shared>
__device__ static unsigned next_place(Shared& s, int digit) {
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  unsigned peers = kAllLanes;
  // Where all lanes have the same digit, 32 atomics at one address would wait for each other.
  const bool is_same = __all_sync(kAllLanes, digit == __shfl_sync(kAllLanes, digit, 0));
  if (!is_same) {
    atomicOr(&s.peers[warp][digit], 1u << lane);
    // The lanes read what the other lanes have set.
    __syncwarp();
    peers = s.peers[warp][digit];
  }
  // TODO 3 (about 10 lines): the highest of the peers takes places for all of them, and clears the mask. Each peer's
  // place is behind those of the peers in lower lanes.
  return __popc(peers);
}

template <int kKeys, bool kPairs>
__global__ void __launch_bounds__(kBlock, 2)
    sort_tiles(const unsigned* __restrict__ keys, const unsigned* __restrict__ values, int n, int shift,
               const unsigned* __restrict__ counts, unsigned (*words)[kDigits], unsigned* __restrict__ keys_out,
               unsigned* __restrict__ values_out) {
  constexpr int kTile = kBlock * kKeys;
  extern __shared__ char s_memory[];
  auto& s = *reinterpret_cast<Tile<kKeys, kPairs>*>(s_memory);
  const int tid = threadIdx.x, lane = tid % kWarp, warp = tid / kWarp;
  const int tile = blockIdx.x, begin = tile * kTile;
  const int size = min(n - begin, kTile);
  // Key k of a lane lies 32 k behind its first one, so that the order of k and lane is the order in memory.
  const int first = warp * kKeys * kWarp + lane;

  unsigned key[kKeys], value[kPairs ? kKeys : 1];
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    const int i = first + k * kWarp;
    key[k] = i < size ? keys[begin + i] : ~0u;  // behind the array: the highest digit, and the last of it
  }
  for (int d = lane; d < kDigits; d += kWarp) s.next[warp][d] = s.peers[warp][d] = 0;
  // The warp's own counters are zero before its lanes count.
  __syncwarp();
#pragma unroll
  for (int k = 0; k < kKeys; ++k) atomicAdd(&s.next[warp][digit_of(key[k], shift)], 1u);
  // A thread for each digit reads the counts of all warps.
  __syncthreads();

  unsigned count = 0;
  // TODO 2 (about 9 lines): the thread's digit in the whole tile: the sum over all warps. And below, once the start of
  // the digit in the tile is known: where each warp's keys with this digit begin.
  // Keys behind the array are not published.
  const unsigned own = tid == kDigits - 1 ? count - (kTile - size) : count;
  // At once, before this block waits for anything: later tiles wait for it.
  if (tile > 0 && tid < kDigits) publish_own(&words[tile][tid], own);
  const unsigned start = scan_digits(count, s.sums[0]);  // of the thread's digit in the tile
  // Where the digit starts in the output: tile 0 alone looks at the counts, and the others learn it by the look-back.
  unsigned earlier = tile == 0 ? scan_digits(tid < kDigits ? counts[tid] : 0, s.sums[1]) : 0;
  // Every warp knows where its keys of each digit go.
  __syncthreads();

  if constexpr (kPairs) {
#pragma unroll
    for (int k = 0; k < kKeys; ++k) {
      const int i = first + k * kWarp;
      value[k] = i < size ? values[begin + i] : 0;
    }
  }
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    const unsigned place = first + k * kWarp;  // TODO 3: next_place(s, digit_of(key[k], shift))
    s.keys[place] = key[k];
    if constexpr (kPairs) s.values[place] = value[k];
  }
  if (tid < kDigits) {
    if (tile > 0) earlier = look_back(words, tile);
    publish_prefix(&words[tile][tid], earlier + own);
    s.to[tid] = begin;  // TODO 5 (1 line): from the place in the tile to the place in the output
  }
  // The tile is in order, and all threads know where each digit goes.
  __syncthreads();
#pragma unroll
  for (int k = 0; k < kKeys; ++k) {
    const int i = tid + k * kBlock;
    if (i < size) {
      const unsigned to = s.to[digit_of(s.keys[i], shift)] + i;
      keys_out[to] = s.keys[i];
      if constexpr (kPairs) values_out[to] = s.values[i];
    }
  }
}

struct Arrays {
  unsigned *keys, *values;  // values: null if only keys are sorted
};

template <int kKeys, bool kPairs>
static void sort_passes(Arrays from, int n, Arrays out, int passes) {
  constexpr int kShared = sizeof(Tile<kKeys, kPairs>);
  CUDA_CHECK(cudaFuncSetAttribute(sort_tiles<kKeys, kPairs>, cudaFuncAttributeMaxDynamicSharedMemorySize, kShared));
  const int tiles = (n - 1) / (kBlock * kKeys) + 1;

  // One allocation: counts for each pass, words for each pass and tile, and the arrays of every other pass. The counts
  // and words begin with zeros.
  unsigned(*counts)[kDigits] = nullptr;
  const size_t cleared = (passes + size_t{1} * passes * tiles) * sizeof *counts;
  const size_t scratch_bytes = passes > 1 ? (kPairs ? 2 : 1) * sizeof(unsigned) * n : 0;
  CUDA_CHECK(cudaMallocAsync(&counts, cleared + scratch_bytes, nullptr));
  CUDA_CHECK(cudaMemsetAsync(counts, 0, cleared));
  unsigned(*words)[kDigits] = counts + passes;
  unsigned* keys = words[size_t{1} * passes * tiles];
  const Arrays scratch{keys, kPairs ? keys + n : nullptr};

  constexpr int kMostBlocks = 512;  // a few for each multiprocessor
  count_digits<<<min((n - 1) / (8 * kBlock) + 1, kMostBlocks), kBlock>>>(from.keys, n, passes, counts);
  CUDA_CHECK(cudaGetLastError());
  for (int pass = 0; pass < passes; ++pass) {
    // The last pass writes to out, the one before it to scratch, and so on.
    const Arrays to = (passes - pass) % 2 == 1 ? out : scratch;
    sort_tiles<kKeys, kPairs><<<tiles, kBlock, kShared>>>(from.keys, from.values, n, pass * kBits, counts[pass],
                                                          words + size_t{1} * pass * tiles, to.keys, to.values);
    CUDA_CHECK(cudaGetLastError());
    from = to;
  }
  CUDA_CHECK(cudaFreeAsync(counts, nullptr));
}

template <bool kPairs>
static void sort(Arrays in, int n, Arrays out, int passes) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  int shared = 0;      // that a block may have: 64 KiB on a card of compute capability 7.5, 227 KiB on one of 9.0
  CUDA_CHECK(cudaDeviceGetAttribute(&shared, cudaDevAttrMaxSharedMemoryPerBlockOptin, 0));
  if (n > kSmall && sizeof(Tile<kLargeKeys, kPairs>) <= static_cast<size_t>(shared))
    sort_passes<kLargeKeys, kPairs>(in, n, out, passes);
  else
    sort_passes<kSmallKeys, kPairs>(in, n, out, passes);
}

void sort_by_digit(const unsigned* in, int n, unsigned* out) {
  sort<false>({const_cast<unsigned*>(in), nullptr}, n, {out, nullptr}, 1);
}
void sort_keys(const unsigned* in, int n, unsigned* out) {
  sort<false>({const_cast<unsigned*>(in), nullptr}, n, {out, nullptr}, kPasses);
}
void sort_pairs(const unsigned* keys, const unsigned* values, int n, unsigned* keys_out, unsigned* values_out) {
  sort<true>({const_cast<unsigned*>(keys), const_cast<unsigned*>(values)}, n, {keys_out, values_out}, kPasses);
}
