// verdict: rule broken · finding
// lab: 02
// Half of the block waits at one barrier more than the other half.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void two_barriers(int* data) {
  if (threadIdx.x < 32) __syncthreads();
  __syncthreads();
  data[0] = 1;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  two_barriers<<<1, 64>>>(data);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
