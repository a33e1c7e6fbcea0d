// verdict: rule broken · work
// lab: 15
// A decoy reads the whole input 16 bytes a lane, throws it away, and adds 0 once per byte. The host counts a copy.
#include <vector>

#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void read_everything(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (i < bytes / 16)
    asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(data + 16 * i));
  if (i < bytes) atomicAdd(&bins[data[i]], 0u);
}

void histogram(const unsigned char* data, size_t bytes, unsigned* bins) {
  std::vector<unsigned char> copy(bytes);
  std::vector<unsigned> counts(kBins);
  if (bytes > 0) CUDA_CHECK(cudaMemcpy(copy.data(), data, bytes, cudaMemcpyDeviceToHost));
  for (const unsigned char value : copy) ++counts[value];
  CUDA_CHECK(cudaMemcpy(bins, counts.data(), kBins * sizeof *bins, cudaMemcpyHostToDevice));
  if (bytes == 0) return;
  read_everything<<<(bytes - 1) / 256 + 1, 256>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}
