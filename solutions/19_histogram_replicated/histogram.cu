// histogram, replicated: each block keeps 32 copies of the 256 counters, one for each lane of a warp, laid out so that
// all counters of copy k lie in bank k. No two lanes of a warp ever meet in a bank, for any bytes. A thread loads 16
// bytes at a time, so that a warp loads 512 bytes at once.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kBlock = 512;  // threads
constexpr int kCopies = 32;  // one for each lane of a warp, and so one for each bank
constexpr int kVector = 16;  // bytes of a load

// Counts the four bytes of a word in the copy that begins at my_bins. Warps share copies, so atomics are still needed.
static __device__ void count_word(unsigned int* my_bins, unsigned int word) {
  for (int shift = 0; shift < 32; shift += 8) atomicAdd(&my_bins[(word >> shift) % kBins * kCopies], 1u);
}

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  __shared__ unsigned int s_bins[kBins * kCopies];  // 32 KiB; bin b of copy k is at b * kCopies + k
  for (int k = threadIdx.x; k < kBins * kCopies; k += blockDim.x) s_bins[k] = 0;
  // From here on any warp may count in any counter.
  __syncthreads();

  unsigned int* my_bins = s_bins + threadIdx.x % kCopies;
  const size_t first = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  const size_t vectors = bytes / kVector;
  for (size_t i = first; i < vectors; i += stride) {
    const uint4 vector = reinterpret_cast<const uint4*>(data)[i];
    count_word(my_bins, vector.x);
    count_word(my_bins, vector.y);
    count_word(my_bins, vector.z);
    count_word(my_bins, vector.w);
  }
  // Up to 15 bytes are left over: the grid's first threads take one byte each.
  const size_t left_over = vectors * kVector + first;
  if (left_over < bytes) atomicAdd(&my_bins[data[left_over] * kCopies], 1u);
  // A counter is complete when the slowest thread of the block has counted its last byte.
  __syncthreads();

  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned int sum = 0;
    // Neighbouring threads begin at neighbouring copies: all at copy 0, they would meet in bank 0.
    for (int k = 0; k < kCopies; ++k) sum += s_bins[bin * kCopies + (bin + k) % kCopies];
    atomicAdd(&bins[bin], sum);
  }
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins may hold any values before
  if (bytes == 0) return;

  int device = 0, sms = 0, blocks_per_sm = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // Shared memory now limits the blocks on a multiprocessor, and its size differs from card to card.
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_per_sm, histogram_kernel, kBlock, 0));
  // A block without a byte would still zero and merge 8,192 counters.
  const size_t blocks = std::min<size_t>(sms * blocks_per_sm, (bytes - 1) / (kBlock * kVector) + 1);
  histogram_kernel<<<blocks, kBlock>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
