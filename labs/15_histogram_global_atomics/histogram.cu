// histogram, global atomics: a grid of fixed size strides over the bytes, and each byte is one atomic addition to
// one of 256 counters in global memory. Right in any order and on any data; slow because all threads queue at the
// same 256 addresses.
//
// This file compiles and runs as it is; it is wrong at every TODO.
#include "common/check.h"
#include "common/contracts/histogram.h"

constexpr int kBlock = 256;      // threads
constexpr int kBlocksPerSm = 8;  // 8 × 256 threads fill a multiprocessor (2048; on cards with 1024 or 1536 some wait)

__global__ void histogram_kernel(const unsigned char* __restrict__ data, size_t bytes,
                                 unsigned int* __restrict__ bins) {
  // TODO 2 (2 lines): this thread's first byte, and the number of threads in the grid, both as size_t.
  // TODO 3 (1 line): a loop from the first byte to the end in steps of that number.
  const size_t i = threadIdx.x;
  if (i < bytes) ++bins[data[i]];  // TODO 4 (1 line): two threads may hold the same byte value at the same time.
}

void histogram(const unsigned char* data, size_t bytes, unsigned int* bins) {
  // TODO 1 (1 line): zero the bins, which may hold any values before. Also for bytes = 0.
  if (bytes == 0) return;

  int device = 0, sms = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
  histogram_kernel<<<sms * kBlocksPerSm, kBlock>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
