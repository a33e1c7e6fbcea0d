// verdict: accepted
// lab: 99
// Memory from cudaMallocAsync, freed by cudaFreeAsync.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *d_sum = nullptr, sum = 0;
  CUDA_CHECK(cudaMallocAsync(&d_sum, sizeof *d_sum, cudaStreamPerThread));
  CUDA_CHECK(cudaMemsetAsync(d_sum, 0, sizeof *d_sum, cudaStreamPerThread));
  add<<<blocks_for(n, 256), 256, 0, cudaStreamPerThread>>>(bits(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyAsync(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost, cudaStreamPerThread));
  CUDA_CHECK(cudaFreeAsync(d_sum, cudaStreamPerThread));
  CUDA_CHECK(cudaStreamSynchronize(cudaStreamPerThread));
  return static_cast<int>(sum);
}
