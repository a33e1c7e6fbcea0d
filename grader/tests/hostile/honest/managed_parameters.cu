// verdict: accepted
// lab: 99
// Every thread reads its parameters from a struct in managed memory, and every warp counts its work there.
#include "sum.h"

struct Shared {
  const unsigned* data;
  int n;
  unsigned sum, warps;
};

static __global__ void add(Shared* shared) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  unsigned value = i < shared->n ? shared->data[i] : 0;
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(0xffffffff, value, step);
  if (threadIdx.x % 32 != 0) return;
  atomicAdd(&shared->sum, value);
  atomicAdd(&shared->warps, 1u);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  Shared* shared = nullptr;
  CUDA_CHECK(cudaMallocManaged(&shared, sizeof *shared));
  *shared = {bits(data), n, 0, 0};
  add<<<blocks_for(n, 256), 256>>>(shared);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  const bool all = shared->warps == 8u * blocks_for(n, 256);
  const int sum = static_cast<int>(shared->sum);
  CUDA_CHECK(cudaFree(shared));
  return all ? sum : 0;
}
