// histogram, shared atomics: each block counts its bytes in a histogram of its own, in shared memory, and adds it to
// the 256 counters in global memory when it is done.
//
// This is the rung below with blocks of 256 threads, and it works. Keep copies of the histogram so that no two lanes of
// a warp ever meet in a bank, for any bytes. And load 16 bytes at a time.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kBlock = 256;      // threads
constexpr int kBlocksPerSm = 8;  // 8 × 256 threads fill a multiprocessor (2048; on cards with 1024 or 1536 some wait)

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  // TODO 1 (3 lines): 32 copies, all zeroed, and where the copy of this thread begins. Which word is bin b of copy k?
  __shared__ unsigned int s_bins[kBins];
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) s_bins[bin] = 0;
  // From here on any thread may count in any bin.
  __syncthreads();

  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  // TODO 2 (about 8 lines): one uint4, 16 bytes, in each turn. Are atomics still needed?
  // TODO 3 (2 lines): the bytes that are left over.
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += stride) {
    atomicAdd(&s_bins[data[i]], 1u);
  }
  // A bin is complete when the slowest thread of the block has counted its last byte.
  __syncthreads();

  // TODO 4 (4 lines): add up the 32 copies of a bin, and add that sum to bins. In which bank does each lane read?
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], s_bins[bin]);
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins may hold any values before
  if (bytes == 0) return;

  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // TODO 5 (2 lines): how many blocks fit into a multiprocessor now? cudaOccupancyMaxActiveBlocksPerMultiprocessor
  // knows.
  const size_t blocks = std::min<size_t>(sms * kBlocksPerSm, (bytes - 1) / kBlock + 1);
  histogram_kernel<<<blocks, kBlock>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
