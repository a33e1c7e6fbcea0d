// verdict: accepted
// lab: 99
// Takes memory from a pool, and where that fails, without one.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *d_sum = nullptr, sum = 0;
  const bool from_pool = cudaMallocAsync(&d_sum, sizeof *d_sum, nullptr) == cudaSuccess;
  if (!from_pool) CUDA_CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(from_pool ? cudaFreeAsync(d_sum, nullptr) : cudaFree(d_sum));
  CUDA_CHECK(cudaDeviceSynchronize());
  return static_cast<int>(sum);
}
