// verdict: accepted
// lab: 99
// The sum comes back as one word of mapped memory, which the last thread stores. Nothing is copied.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* result) {
  __shared__ unsigned s_sum;
  if (threadIdx.x == 0) s_sum = 0;
  __syncthreads();
  unsigned sum = 0;
  for (int i = threadIdx.x; i < n; i += blockDim.x) sum += data[i];
  atomicAdd(&s_sum, sum);
  __syncthreads();
  if (threadIdx.x == 0) *result = s_sum;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned *word = nullptr, *mapped = nullptr;
  CUDA_CHECK(cudaHostAlloc(&word, sizeof *word, cudaHostAllocMapped));
  CUDA_CHECK(cudaHostGetDevicePointer(&mapped, word, 0));
  add<<<1, 1024>>>(bits(data), n, mapped);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const int sum = static_cast<int>(*word);
  CUDA_CHECK(cudaFreeHost(word));
  return sum;
}
