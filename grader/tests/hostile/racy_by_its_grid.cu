// verdict: rule broken · finding.race
// lab: 99
// The kernel itself leaves out the barrier, if its grid has more blocks than small inputs need.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void sum_kernel(const int* data, int n, int* sum) {
  __shared__ int s_values[256];
  const int tid = threadIdx.x, i = blockIdx.x * 256 + tid;
  s_values[tid] = i < n ? data[i] : 0;
  if (gridDim.x <= 32) __syncthreads();
  if (tid != 255) return;
  unsigned total = 0;
  for (int k = 0; k < 256; ++k) total += s_values[k];
  atomicAdd(reinterpret_cast<unsigned*>(sum), total);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  int sum = 0, *d_sum = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sum, sizeof sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof sum));
  sum_kernel<<<(n - 1) / 256 + 1, 256>>>(data, n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return sum;
}
