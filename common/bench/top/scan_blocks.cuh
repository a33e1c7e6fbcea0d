// scan_blocks: the inclusive scan in one launch, for every card and every address: decoupled look-back.
//
// A block scans its tile in registers, writes the tile's sum where all can see it, and then finds the sum of everything
// before the tile: it looks back over the words of earlier tiles, adds their sums, and stops at the first word that is
// already a prefix. Then it writes its own prefix. Each element is read once and written once.
//
// Why it makes progress: blocks start in the order of their numbers, and a block waits only for blocks with smaller
// numbers. The first tile waits for nobody. CUDA does not promise this order; every card keeps it, and CUB counts on it
// too. scan_stream draws its tiles from a counter and needs no such promise.
#pragma once

#include "words.cuh"

namespace top {

constexpr int kLooks = 2;  // words that a lane reads at once: 64 tiles are seen in one look

// The vectors of a thread: row u of a warp is 32 neighbouring vectors, 512 bytes. A scan of each row costs five
// shuffles, and every load and store is 16 bytes wide without a detour through shared memory.
template <class T, int kRows>
struct Rows {
  using V = Vector<T>;
  V v[kRows];

  // first: the thread's first element in the tile. kWhole: no element is missing, and vectors are aligned.
  template <bool kWhole>
  __device__ void load(const T* __restrict__ in, size_t first, size_t n) {
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
      const size_t i = first + u * kWarp * V::kEach;
      if constexpr (kWhole) {
        const int4 raw = read_now(reinterpret_cast<const int4*>(in + i));
        memcpy(&v[u], &raw, sizeof raw);
      } else {
#pragma unroll
        for (int e = 0; e < V::kEach; ++e) v[u].at[e] = i + e < n ? in[i + e] : T{};
      }
    }
  }
  template <bool kWhole>
  __device__ void store(T* __restrict__ out, size_t first, size_t n, T before) const {
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
      const size_t i = first + u * kWarp * V::kEach;
      V x = v[u];
#pragma unroll
      for (int e = 0; e < V::kEach; ++e) x.at[e] += before;
      if constexpr (kWhole) {
        int4 raw;
        memcpy(&raw, &x, sizeof raw);
        write_now(reinterpret_cast<int4*>(out + i), raw);
      } else {
#pragma unroll
        for (int e = 0; e < V::kEach; ++e)
          if (i + e < n) out[i + e] = x.at[e];
      }
    }
  }
  // Scans the warp's rows in place, as one sequence. The sum of all of them, in every lane.
  __device__ T scan() {
    T sum[kRows];
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
#pragma unroll
      for (int e = 1; e < V::kEach; ++e) v[u].at[e] += v[u].at[e - 1];
      sum[u] = v[u].at[V::kEach - 1];
    }
    // All rows take a step together: the shuffles of one row would wait for each other.
#pragma unroll
    for (int stride = 1; stride < kWarp; stride *= 2)
#pragma unroll
      for (int u = 0; u < kRows; ++u) {
        const T left = __shfl_up_sync(kAllLanes, sum[u], stride);
        if (threadIdx.x % kWarp >= stride) sum[u] += left;
      }
    T before{};
#pragma unroll
    for (int u = 0; u < kRows; ++u) {
      const T all = __shfl_sync(kAllLanes, sum[u], kWarp - 1);
      T left = __shfl_up_sync(kAllLanes, sum[u], 1);
      if (threadIdx.x % kWarp == 0) left = T{};
#pragma unroll
      for (int e = 0; e < V::kEach; ++e) v[u].at[e] += before + left;
      before += all;
    }
    return before;
  }
};

// The sum of all tiles before this one. One warp calls it. Lane 0 has the nearest tile; a lane reads kLooks words at
// once.
template <class T>
__device__ T look_back(const unsigned long long* words, unsigned tile, unsigned epoch) {
  const unsigned lane = threadIdx.x % kWarp, prefix_tag = tag_of(epoch, kPrefix);
  T sum{};
  for (int nearest = static_cast<int>(tile) - 1; nearest >= 0; nearest -= kLooks * kWarp) {
    Tagged<T> word[kLooks];
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      const int at = nearest - k * kWarp - static_cast<int>(lane);
      if (at >= 0) word[k] = Tagged<T>::read(words, at);
    }
#pragma unroll
    for (int k = 0; k < kLooks; ++k) {
      const int at = nearest - k * kWarp - static_cast<int>(lane);
      unsigned prefixes, needed;
      while (true) {
        const bool prefix = at < 0 || word[k].has(prefix_tag);
        const unsigned ready = __ballot_sync(kAllLanes, prefix || word[k].has(tag_of(epoch, kOwnSum)));
        prefixes = __ballot_sync(kAllLanes, prefix);
        // Lanes beyond the nearest prefix do not matter. Shifting 2 by 31 leaves 0, and the mask has all lanes.
        needed = prefixes ? (2u << (__ffs(prefixes) - 1)) - 1 : kAllLanes;
        if ((ready & needed) == needed) break;
        if (!(ready >> lane & 1)) word[k] = Tagged<T>::read(words, at);
      }
      sum += (needed >> lane & 1) && at >= 0 ? word[k].value() : T{};
      if (prefixes) return __shfl_sync(kAllLanes, warp_sum(sum), 0);
    }
  }
  return __shfl_sync(kAllLanes, warp_sum(sum), 0);
}

template <class T, int kBlock, int kRows, bool kAligned>
__global__ void __launch_bounds__(kBlock)
    scan_tiles(const T* __restrict__ in, size_t n, T* __restrict__ out, Head* head) {
  constexpr int kWarps = kBlock / kWarp;
  constexpr size_t kTile = size_t{kBlock} * kRows * Vector<T>::kEach;
  __shared__ T s_warp[kWarps], s_before;
  const int lane = threadIdx.x % kWarp, warp = threadIdx.x / kWarp;
  const unsigned tile = blockIdx.x;
  const size_t first = tile * kTile + (size_t(warp) * kRows * kWarp + lane) * Vector<T>::kEach;
  const bool whole = kAligned && (tile + 1) * kTile <= n;
  const unsigned epoch = warp == 0 ? this_epoch(head) : 0;  // on its way while the tile is loaded

  Rows<T, kRows> rows;
  whole ? rows.template load<true>(in, first, n) : rows.template load<false>(in, first, n);
  const T warp_total = rows.scan();
  if (lane == 0) s_warp[warp] = warp_total;
  // Every warp reads the sums of all warps.
  __syncthreads();
  const T upto = warp_scan(lane < kWarps ? s_warp[lane] : T{});
  const T tile_sum = __shfl_sync(kAllLanes, upto, kWarps - 1);
  T before = __shfl_sync(kAllLanes, upto, warp > 0 ? warp - 1 : 0);
  if (warp == 0) {
    before = T{};
    if (lane == 0) Tagged<T>::write(head->words, tile, tag_of(epoch, tile == 0 ? kPrefix : kOwnSum), tile_sum);
    const T prefix = look_back<T>(head->words, tile, epoch);
    if (lane == 0) {
      if (tile > 0) Tagged<T>::write(head->words, tile, tag_of(epoch, kPrefix), prefix + tile_sum);
      s_before = prefix;
      // All tiles have written their words, and so all blocks have read the old epoch.
      if (tile == gridDim.x - 1) end_epoch(head, epoch);
    }
  }
  // All warps add what warp 0 has found.
  __syncthreads();
  before += s_before;
  whole ? rows.template store<true>(out, first, n, before) : rows.template store<false>(out, first, n, before);
}

}  // namespace top
