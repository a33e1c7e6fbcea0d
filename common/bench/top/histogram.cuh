// histogram: how often each of the 256 byte values occurs, in one launch, at nearly the speed of reading. In: bytes at
// any address, a workspace. Out: 256 counters, overwritten. Not here: other numbers of bins.
//
// A multiprocessor reads about 18 bytes in a clock when memory is at its limit. A shared atomic of a warp counts 32
// bytes, and with no two lanes in one bank it takes one clock and a half. So the atomics fit under the reading, on one
// condition: the data must not decide about conflicts. Bin b of lane k is word 32 * b + k, and that word is in bank k.
#pragma once

#include <cuda_runtime.h>

#include <algorithm>

#include "words.cuh"

namespace top {

constexpr int kBins = 256;
constexpr int kHistogramBlock = 512;  // threads; two blocks on a multiprocessor
constexpr int kHistogramEach = 4;     // vectors in flight for each thread, while it counts the four before
constexpr int kGlobalCopies = 8;      // of the counters in global memory, so that fewer blocks add to one address

// Zeros before the first call, and zeros again after every call.
struct HistogramWork {
  unsigned done;  // blocks that have added their counters
  unsigned unused[31];
  unsigned bins[kGlobalCopies][kBins];
};

// Counts four bytes. The byte address of bin b is 128 * b + 4 * lane: a shift, and one logical instruction for the
// rest.
__device__ inline void count_word(unsigned char* s_bins, unsigned word, unsigned lane4) {
  const auto count = [&](unsigned shifted) {
    atomicAdd(reinterpret_cast<unsigned*>(s_bins + ((shifted & 0x7f80) | lane4)), 1u);
  };
  count(word << 7);
  count(word >> 1);
  count(word >> 9);
  count(word >> 17);
}

__device__ inline void count_vector(unsigned char* s_bins, const uint4& v, unsigned lane4) {
  count_word(s_bins, v.x, lane4);
  count_word(s_bins, v.y, lane4);
  count_word(s_bins, v.z, lane4);
  count_word(s_bins, v.w, lane4);
}

// Each byte is needed once, so it takes no place in L1. With a cache full of modified lines this saved a tenth of the
// time at 100 MiB.
__device__ inline uint4 read_past_l1(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

// Two threads for each bin add its 32 copies and pass the sum on. The last block moves the totals out.
__device__ inline void merge_bins(unsigned* s_bins, HistogramWork* work, unsigned* bins) {
  static_assert(kHistogramBlock == 2 * kBins);
  constexpr int kPart = kWarp / 2;
  const int bin = threadIdx.x / 2, part = threadIdx.x % 2;
  unsigned sum = 0;
  // Neighbouring bins begin at neighbouring copies: in the same round no two lanes read the same bank.
#pragma unroll
  for (int k = 0; k < kPart; ++k) sum += s_bins[bin * kWarp + part * kPart + (k + bin) % kPart];
  sum += __shfl_down_sync(kAllLanes, sum, 1);
  if (part == 0) atomicAdd(&work->bins[blockIdx.x % kGlobalCopies][bin], sum);

  // All threads have added; and all have read their copies, of which word 0 now becomes the flag.
  __syncthreads();
  if (threadIdx.x == 0) {
    __threadfence();  // what the whole block has added, before it counts as done
    s_bins[0] = atomicInc(&work->done, gridDim.x - 1) == gridDim.x - 1;  // wraps to 0 by itself
    __threadfence();  // the counters of the other blocks are read after the last of them was seen to be done
  }
  // Thread 0 has the answer.
  __syncthreads();
  if (s_bins[0] == 0 || part != 0) return;
  unsigned total = 0;
  for (int copy = 0; copy < kGlobalCopies; ++copy) {
    total += __ldcg(&work->bins[copy][bin]);
    work->bins[copy][bin] = 0;
  }
  bins[bin] = total;
}

__global__ void __launch_bounds__(kHistogramBlock, 2)
    histogram_bytes(const unsigned char* __restrict__ data, size_t bytes, unsigned* __restrict__ bins,
                    HistogramWork* work) {
  __shared__ __align__(16) unsigned s_bins[kBins * kWarp];  // 32 KiB
  unsigned char* const counters = reinterpret_cast<unsigned char*>(s_bins);
  const unsigned lane4 = threadIdx.x % kWarp * 4;
  const size_t before = min(bytes, (16 - reinterpret_cast<uintptr_t>(data) % 16) % 16);
  const size_t vectors = (bytes - before) / 16, after = before + vectors * 16;
  const uint4* in = reinterpret_cast<const uint4*>(data + before);

  // Round by round, the grid takes four times as many vectors as it has threads. The last round is shared evenly too.
  const size_t threads = size_t{gridDim.x} * kHistogramBlock, round = threads * kHistogramEach, full = vectors / round;
  size_t i = size_t{blockIdx.x} * kHistogramBlock + threadIdx.x;
  uint4 ahead[kHistogramEach];
  const auto fetch = [&](bool all) {
#pragma unroll
    for (int k = 0; k < kHistogramEach; ++k)
      if (all || i + k * threads < vectors) ahead[k] = read_past_l1(in + i + k * threads);
  };
  fetch(full > 0);
  // The counters are cleared while the first bytes are on their way.
  for (int k = threadIdx.x; k < kBins * kWarp / 4; k += kHistogramBlock) reinterpret_cast<uint4*>(s_bins)[k] = uint4{};
  // From here on any warp may count in any counter of its columns.
  __syncthreads();

  for (size_t r = 0; r < full; ++r) {
    uint4 now[kHistogramEach];
#pragma unroll
    for (int k = 0; k < kHistogramEach; ++k) now[k] = ahead[k];
    i += round;
    fetch(r + 1 < full);  // under way while this round is counted
#pragma unroll
    for (int k = 0; k < kHistogramEach; ++k) count_vector(counters, now[k], lane4);
  }
#pragma unroll
  for (int k = 0; k < kHistogramEach; ++k)
    if (i + k * threads < vectors) count_vector(counters, ahead[k], lane4);
  if (blockIdx.x == 0) {  // up to 15 bytes on each side of the vectors
    if (threadIdx.x < before) atomicAdd(&s_bins[data[threadIdx.x] * kWarp + threadIdx.x % kWarp], 1u);
    if (after + threadIdx.x < bytes) atomicAdd(&s_bins[data[after + threadIdx.x] * kWarp + threadIdx.x % kWarp], 1u);
  }
  // A counter is complete when the slowest warp has counted its last byte.
  __syncthreads();
  merge_bins(s_bins, work, bins);
}

inline cudaError_t histogram(const unsigned char* data, size_t bytes, unsigned* bins, void* work, cudaStream_t stream) {
  int device = 0, multiprocessors = 0;
  if (const cudaError_t error = cudaGetDevice(&device)) return error;
  if (const cudaError_t error = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device))
    return error;
  const size_t needed = bytes / 16 / kHistogramBlock + 1;
  const auto blocks = static_cast<unsigned>(std::min<size_t>(2 * multiprocessors, needed));
  histogram_bytes<<<blocks, kHistogramBlock, 0, stream>>>(data, bytes, bins, static_cast<HistogramWork*>(work));
  return cudaGetLastError();
}

}  // namespace top
