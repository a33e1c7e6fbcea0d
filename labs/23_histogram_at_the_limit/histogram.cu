// histogram, replicated: the solution of lab 19, and it works. Each block keeps 32 copies of the 256 counters, one for
// each lane of a warp, laid out so that all counters of copy k lie in bank k. No two lanes of a warp ever meet in a
// bank, for any bytes. A thread loads 16 bytes at a time, so that a warp loads 512 bytes at once. Goal of this lab: a
// thread never waits for the bytes that it counts next, and the one launch does all of the work, for data at any
// address.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kBlock = 512;  // threads
constexpr int kCopies = 32;  // one for each lane of a warp, and so one for each bank
constexpr int kVector = 16;  // bytes of a load

// TODO 1 (2 lines): in variables of the device, 8 copies of the counters, and the number of blocks that are done.

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

  // TODO 2 (about 4 lines): the data may begin at any address. How many bytes come before the first multiple of 16?
  unsigned int* my_bins = s_bins + threadIdx.x % kCopies;
  const size_t first = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  const size_t vectors = bytes / kVector;
  // TODO 3 (about 20 lines): rounds. A thread asks for its next four vectors, and then counts the four that it has. The
  // first four are asked for before the counters are cleared. In the last round some threads have fewer vectors.
  for (size_t i = first; i < vectors; i += stride) {
    const uint4 vector = reinterpret_cast<const uint4*>(data)[i];
    count_word(my_bins, vector.x);
    count_word(my_bins, vector.y);
    count_word(my_bins, vector.z);
    count_word(my_bins, vector.w);
  }
  // TODO 4 (2 lines): the bytes before the first vector and after the last one, by one block.
  // Up to 15 bytes are left over: the grid's first threads take one byte each.
  const size_t left_over = vectors * kVector + first;
  if (left_over < bytes) atomicAdd(&my_bins[data[left_over] * kCopies], 1u);
  // A counter is complete when the slowest thread of the block has counted its last byte.
  __syncthreads();

  // TODO 5 (1 line): add to the copy of the counters that belongs to this block, and not to bins.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) {
    unsigned int sum = 0;
    // Neighbouring threads begin at neighbouring copies: all at copy 0, they would meet in bank 0.
    for (int k = 0; k < kCopies; ++k) sum += s_bins[bin * kCopies + (bin + k) % kCopies];
    atomicAdd(&bins[bin], sum);
  }
  // TODO 6 (about 15 lines): the last block adds the copies, writes bins, and leaves zeros for the next call. Two
  // barriers and two fences come before a thread may read what other blocks have added. Where?
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  // TODO 7 (2 lines, and 4 go): no memset; the kernel also runs for 0 bytes. Two blocks for each multiprocessor are
  // enough.
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
