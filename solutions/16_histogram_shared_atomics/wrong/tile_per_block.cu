// caught by: rule.atomics
// Right, and 256 global atomics a block, but one block for every 256 bytes: as many global atomics as bytes, as on
// the rung below.
#include "common/check.h"
#include "common/contracts/histogram.h"

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  __shared__ unsigned int s_bins[kBins];
  // The block may have fewer threads than there are bins, or more.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) s_bins[bin] = 0;
  // From here on any thread may count in any bin.
  __syncthreads();

  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes) atomicAdd(&s_bins[data[i]], 1u);
  // A bin is complete when the slowest thread of the block has counted its last byte.
  __syncthreads();

  // Other blocks add to the same 256 counters.
  for (int bin = threadIdx.x; bin < kBins; bin += blockDim.x) atomicAdd(&bins[bin], s_bins[bin]);
}

void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins hold anything before
  if (bytes == 0) return;

  const size_t blocks = (bytes - 1) / block + 1;
  histogram_kernel<<<blocks, block>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
