// histogram, global atomics: a grid of fixed size strides over the bytes, and each byte is one atomic addition to
// one of 256 counters in global memory. It is right in any order and on any data. It is slow because all threads queue
// at the same 256 addresses.
#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kBlock = 256;      // threads
constexpr int kBlocksPerSm = 8;  // 8 × 256 threads fill a multiprocessor (2048; on cards with 1024 or 1536 some wait)

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;  // threads of the whole grid
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += stride) {
    atomicAdd(&bins[data[i]], 1u);
  }
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins));  // bins may hold any values before
  if (bytes == 0) return;

  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  histogram_kernel<<<sms * kBlocksPerSm, kBlock>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
