// verdict: rule broken · finding.unchecked_error
// lab: 99
// Ignores the error of cudaMalloc, and checks all later calls: one of them fails with another error.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *d_sum = nullptr, sum = 0;
  cudaMalloc(&d_sum, sizeof *d_sum);
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
  add<<<(n - 1) / 256 + 1, 256>>>(reinterpret_cast<const unsigned*>(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
