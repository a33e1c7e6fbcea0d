// histogram, global atomics: a grid of fixed size strides over the bytes, and
// each byte is one atomic addition to one of 256 counters in global memory.
//
// This is the rung below, and it works. Let each block count in its own
// histogram in shared memory, and add that to the counters in global memory
// once, at the end. The caller chooses the block size now, 1 … 1024 threads.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kThreadsPerSm = 2048;  // fill a multiprocessor (on cards with 1024 or 1536 some blocks wait)

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  // TODO 1 (3 lines): the block's own histogram in shared memory. All of it is
  // zeroed, by any number of threads. Then a barrier: what would go wrong
  // without it?

  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += stride) {
    atomicAdd(&bins[data[i]], 1u);  // TODO 2 (1 line): count in the block's histogram.
  }
  // TODO 3 (2 lines): a barrier, and why; then add the block's counters to
  // bins, each of them once.
}

void histogram_block(const unsigned char* data, size_t bytes, unsigned int* bins, int block) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins may hold any values before
  if (bytes == 0) return;

  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  histogram_kernel<<<sms*(kThreadsPerSm / block), block>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
