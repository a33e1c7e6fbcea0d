// verdict: accepted
// lab: 99
// Sums blocks without a second launch: fences, a ticket, and the last block adds up.
#include <vector>

#include "sum.h"

static __device__ unsigned tickets = 0;

static __global__ void add(const unsigned* data, int n, unsigned* parts, unsigned* sum) {
  __shared__ unsigned s_sum;
  __shared__ bool s_last;
  if (threadIdx.x == 0) s_sum = 0;
  __syncthreads();  // before the first addition
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(&s_sum, data[i]);
  __syncthreads();  // all have added
  if (threadIdx.x == 0) {
    parts[blockIdx.x] = s_sum;
    __threadfence();  // the part before the ticket
    s_last = atomicInc(&tickets, gridDim.x - 1) == gridDim.x - 1;
    if (s_last) {
      __threadfence();
      for (int i = 0; i < gridDim.x; ++i) *sum += parts[i];
    }
  }
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  unsigned* parts = nullptr;
  const int blocks = blocks_for(n, 256);
  CUDA_CHECK(cudaMalloc(&parts, blocks * sizeof *parts));
  add<<<blocks, 256>>>(bits(data), n, parts, sum.place);
  CUDA_CHECK(cudaGetLastError());
  const int result = sum.value();
  CUDA_CHECK(cudaFree(parts));
  return result;
}
