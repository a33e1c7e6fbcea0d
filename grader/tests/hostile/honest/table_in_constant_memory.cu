// verdict: accepted
// lab: 15
// Looks up the bin of each byte in a table that the host has put into constant memory, as for classes of characters.
#include <numeric>

#include "common/check.h"
#include "common/contracts/histogram.h"

static __constant__ unsigned char bin_of[kBins];

static __global__ void count(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < bytes) atomicAdd(&bins[bin_of[data[i]]], 1u);
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  unsigned char table[kBins];
  std::iota(table, table + kBins, static_cast<unsigned char>(0));
  CUDA_CHECK(cudaMemcpyToSymbol(bin_of, table, sizeof table));
  CUDA_CHECK(cudaMemset(bins, 0, kBins * sizeof *bins));
  if (bytes == 0) return;
  count<<<(bytes - 1) / 256 + 1, 256>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
