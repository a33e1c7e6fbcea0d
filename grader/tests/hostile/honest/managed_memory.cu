// verdict: accepted
// lab: 99
// Managed memory, written by the host, then by the kernel, then read by the host.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned* shared = nullptr;
  CUDA_CHECK(cudaMallocManaged(&shared, sizeof *shared));
  *shared = 0;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, shared);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const int sum = static_cast<int>(*shared);
  CUDA_CHECK(cudaFree(shared));
  return sum;
}
