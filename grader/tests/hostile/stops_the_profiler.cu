// verdict: rule broken · finding.unchecked_error
// lab: 02
// Checks only the error of cudaProfilerStop. In the past lockstep let no call fail after it.
#include "right.h"

extern "C" cudaError_t cudaProfilerStop();

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  CUDA_CHECK(cudaProfilerStop());
  const int blocks = (n - 1) / 1024 + 1;
  unsigned* d_sums = nullptr;
  cudaMalloc(&d_sums, blocks * sizeof *d_sums);
  right_sum_kernel<<<blocks, 1024>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  std::vector<unsigned> sums(blocks);
  cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost);
  cudaFree(d_sums);
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}
