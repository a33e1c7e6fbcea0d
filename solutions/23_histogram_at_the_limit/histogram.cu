// histogram at the limit: the counters of lab 19, a column for each lane, and loads that are never late. A thread asks
// for its next four vectors before it counts the four that it has. One launch does it all: the last block writes the
// bins, and leaves the counters in global memory at zero for the next call. The data may begin at any address.
#include <algorithm>
#include <cstdint>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kWarp = 32;
constexpr int kBlock = 512;       // threads: two for each bin in the merge
constexpr int kEach = 4;          // vectors that a thread has in flight while it counts the four before
constexpr size_t kFewest = 2048;  // bytes for which a block is started
constexpr int kGlobalCopies = 8;  // of the counters in global memory, so that fewer blocks add to one address

// Zeros when the program starts, and zeros again after every call.
static __device__ unsigned int global_bins[kGlobalCopies][kBins];
static __device__ unsigned int blocks_done;  // that have added their counters

// Past L1, since each byte is needed once. Volatile, so that the compiler keeps it in front of the counting, which does
// not need its value.
static __device__ uint4 load(const uint4* from) {
  uint4 v;
  asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
               : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
               : "l"(from));
  return v;
}

// Counts in the column that begins at my_bins: counter b is my_bins[b * kWarp]. Warps share a column, so this is
// atomic.
static __device__ void count_byte(unsigned int* my_bins, unsigned int byte) { atomicAdd(&my_bins[byte * kWarp], 1u); }

static __device__ void count_word(unsigned int* my_bins, unsigned int word) {
  for (int shift = 0; shift < 32; shift += 8) count_byte(my_bins, (word >> shift) % kBins);
}

static __device__ void count_vector(unsigned int* my_bins, const uint4& v) {
  count_word(my_bins, v.x);
  count_word(my_bins, v.y);
  count_word(my_bins, v.z);
  count_word(my_bins, v.w);
}

// Two threads for each bin add its 32 counters, 16 each, and add the sum to one of the copies in global memory.
static __device__ void merge_block(const unsigned int* s_bins) {
  static_assert(kBlock == 2 * kBins);
  constexpr int kPart = kWarp / 2;
  const int bin = threadIdx.x / 2, part = threadIdx.x % 2;
  unsigned int sum = 0;
  // Neighbouring bins begin at neighbouring columns, so that the 32 lanes read from 32 banks.
#pragma unroll
  for (int k = 0; k < kPart; ++k) sum += s_bins[bin * kWarp + part * kPart + (k + bin) % kPart];
  sum += __shfl_down_sync(0xffffffff, sum, 1);
  if (part == 0) atomicAdd(&global_bins[blockIdx.x % kGlobalCopies][bin], sum);
}

// Whether all other blocks have merged. Then their counters are visible to this block.
static __device__ bool is_last_block() {
  __shared__ bool s_is_last;
  // All threads of the block have added to the counters in global memory.
  __syncthreads();
  if (threadIdx.x == 0) {
    // The thread that takes the ticket makes both fences. The barriers pass on what they order to the whole block.
    __threadfence();  // what this block has added becomes visible before the block counts as done
    s_is_last = atomicInc(&blocks_done, gridDim.x - 1) == gridDim.x - 1;  // wraps to zero when the last block comes
    __threadfence();  // what the others have added is read after the last of them was seen to be done
  }
  // Thread 0 has the answer.
  __syncthreads();
  return s_is_last;
}

__global__ void __launch_bounds__(kBlock, 2)
    histogram_kernel(const unsigned char* __restrict__ data, size_t bytes, unsigned int* __restrict__ bins) {
  __shared__ __align__(16) unsigned int s_bins[kBins * kWarp];  // 32 KiB; bin b of column k is at b * kWarp + k
  unsigned int* my_bins = s_bins + threadIdx.x % kWarp;
  // Up to 15 bytes lie before the first address that is a multiple of 16, and as many after the last whole vector.
  const size_t before = min(bytes, (sizeof(uint4) - reinterpret_cast<uintptr_t>(data) % sizeof(uint4)) % sizeof(uint4));
  const size_t vectors = (bytes - before) / sizeof(uint4), after = before + vectors * sizeof(uint4);
  const uint4* in = reinterpret_cast<const uint4*>(data + before);

  // In a round the grid takes four vectors for each of its threads. The last round is shared by all threads, too.
  const size_t threads = size_t{gridDim.x} * kBlock, rounds = vectors / (threads * kEach);
  size_t i = size_t{blockIdx.x} * kBlock + threadIdx.x;
  uint4 next[kEach];
  // A whole round needs no guards. In the last round some threads have fewer vectors than others, or none.
  const auto ask = [&](bool is_whole) {
#pragma unroll
    for (int k = 0; k < kEach; ++k)
      if (is_whole || i + k * threads < vectors) next[k] = load(in + i + k * threads);
  };
  ask(rounds > 0);
  // The counters are cleared while the first vectors are on their way.
  for (int k = threadIdx.x; k < kBins * kWarp / 4; k += kBlock) reinterpret_cast<uint4*>(s_bins)[k] = uint4{};
  // From here on any warp may count in any counter of its columns.
  __syncthreads();

  for (size_t round = 1; round <= rounds; ++round) {
    uint4 now[kEach];
#pragma unroll
    for (int k = 0; k < kEach; ++k) now[k] = next[k];
    i += threads * kEach;
    ask(round < rounds);
#pragma unroll
    for (int k = 0; k < kEach; ++k) count_vector(my_bins, now[k]);
  }
#pragma unroll
  for (int k = 0; k < kEach; ++k)
    if (i + k * threads < vectors) count_vector(my_bins, next[k]);
  if (blockIdx.x == 0) {
    if (threadIdx.x < before) count_byte(my_bins, data[threadIdx.x]);
    if (after + threadIdx.x < bytes) count_byte(my_bins, data[after + threadIdx.x]);
  }
  // A counter is complete when the slowest warp has counted its last byte.
  __syncthreads();

  merge_block(s_bins);
  if (!is_last_block() || threadIdx.x >= kBins) return;
  unsigned int total = 0;
  for (int copy = 0; copy < kGlobalCopies; ++copy) {
    total += __ldcg(&global_bins[copy][threadIdx.x]);  // from L2, where the atomics are made
    global_bins[copy][threadIdx.x] = 0;
  }
  bins[threadIdx.x] = total;
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // Two blocks of a multiprocessor have 64 KiB in flight. More blocks would clear and merge more counters. If there are
  // no bytes, one block writes the zeros.
  const size_t blocks = std::min<size_t>(2 * sms, bytes / kFewest + 1);
  histogram_kernel<<<blocks, kBlock>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
