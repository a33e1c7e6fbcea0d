// verdict: wrong answer · const
// lab: 15
// Sets each byte that it has counted to 0, so that a second count finds nothing.
#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void count_and_clear(unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= bytes) return;
  atomicAdd(&bins[data[i]], 1u);
  data[i] = 0;
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  CUDA_CHECK(cudaMemset(bins, 0, kBins * sizeof *bins));
  if (bytes == 0) return;
  count_and_clear<<<(bytes - 1) / 256 + 1, 256>>>(const_cast<unsigned char*>(data), bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
