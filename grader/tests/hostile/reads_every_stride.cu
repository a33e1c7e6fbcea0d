// verdict: wrong answer · case.histogram
// lab: 15
// Skips seven of eight bytes and counts the eighth one eight times, which is right for regular input.
#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void every_eighth(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = (size_t{blockIdx.x} * blockDim.x + threadIdx.x) * 8;
  if (i < bytes) atomicAdd(&bins[data[i]], static_cast<unsigned>(min(size_t{8}, bytes - i)));
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  CUDA_CHECK(cudaMemset(bins, 0, kBins * sizeof *bins));
  if (bytes == 0) return;
  every_eighth<<<(bytes - 1) / 2048 + 1, 256>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
