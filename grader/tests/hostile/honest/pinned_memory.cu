// verdict: accepted
// lab: 99
// The sum is in pinned memory of the host, and the kernel writes it directly.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *pinned = nullptr, *mapped = nullptr;
  CUDA_CHECK(cudaHostAlloc(&pinned, sizeof *pinned, cudaHostAllocMapped));
  *pinned = 0;
  CUDA_CHECK(cudaHostGetDevicePointer(&mapped, pinned, 0));
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, mapped);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const int sum = static_cast<int>(*pinned);
  CUDA_CHECK(cudaFreeHost(pinned));
  return sum;
}
