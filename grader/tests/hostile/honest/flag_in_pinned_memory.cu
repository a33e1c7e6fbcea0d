// verdict: accepted
// lab: 99
// The last block to end sets a flag in pinned memory. The host spins on it, and then reads the sum beside it.
#include "sum.h"

static __device__ unsigned d_sum, blocks_done;

static __global__ void add(const unsigned* data, int n, volatile unsigned* result, volatile unsigned* flag) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(&d_sum, data[i]);
  __threadfence();
  // All threads of the block have added.
  __syncthreads();
  if (threadIdx.x != 0 || atomicAdd(&blocks_done, 1) != gridDim.x - 1) return;
  *result = atomicExch(&d_sum, 0);
  blocks_done = 0;
  __threadfence_system();  // the host that sees the flag sees the sum
  *flag = 1;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  volatile unsigned* pinned = nullptr;
  CUDA_CHECK(cudaMallocHost(const_cast<unsigned**>(&pinned), 2 * sizeof *pinned));
  pinned[0] = pinned[1] = 0;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, pinned, pinned + 1);
  CUDA_CHECK(cudaGetLastError());
  while (pinned[1] == 0) {}
  const unsigned sum = pinned[0];
  CUDA_CHECK(cudaFreeHost(const_cast<unsigned*>(pinned)));
  return static_cast<int>(sum);
}
