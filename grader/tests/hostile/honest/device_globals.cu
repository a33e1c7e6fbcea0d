// verdict: accepted
// lab: 99
// Sums in a global variable of the device, and a table in constant memory.
#include "sum.h"

static __device__ unsigned total;
static __constant__ unsigned steps[4];

static __global__ void add(const unsigned* data, int n) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(&total, data[i] * steps[i % 4]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const unsigned zero = 0, ones[4] = {1, 1, 1, 1};
  unsigned sum = 0;
  CUDA_CHECK(cudaMemcpyToSymbol(total, &zero, sizeof zero));
  CUDA_CHECK(cudaMemcpyToSymbol(steps, ones, sizeof ones));
  add<<<blocks_for(n, 256), 256>>>(bits(data), n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpyFromSymbol(&sum, total, sizeof sum));
  return static_cast<int>(sum);
}
