// histogram, shared atomics: each block counts its bytes in its own histogram in shared memory. At the end it adds that
// to the 256 counters in global memory. The rung below has one queue for the whole card; here every block has its own,
// and it is short.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kThreadsPerSm = 2048;  // fill a multiprocessor (on cards with 1024 or 1536 some blocks wait)

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  __shared__ unsigned int s_bins[kBins];
  // The block may have fewer threads than there are bins, or more.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) s_bins[bin] = 0;
  // From here on any thread may count in any bin.
  __syncthreads();

  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += stride) {
    atomicAdd(&s_bins[data[i]], 1u);
  }
  // A bin is complete when the slowest thread of the block has counted its last byte.
  __syncthreads();

  // Other blocks add to the same 256 counters.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], s_bins[bin]);
}

void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins may hold any values before
  if (bytes == 0) return;

  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  // A block without a byte would still zero and merge 256 counters.
  const size_t blocks = std::min<size_t>(sms * (kThreadsPerSm / block), (bytes - 1) / block + 1);
  histogram_kernel<<<blocks, block>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
