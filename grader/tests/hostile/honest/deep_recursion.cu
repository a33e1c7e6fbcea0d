// verdict: accepted
// lab: 99
// A device function calls itself, on a stack that the host has made larger.
#include "sum.h"

static __device__ unsigned add_range(const unsigned* data, int first, int last) {
  volatile unsigned room[16] = {};  // so that it needs a stack
  if (last - first <= 0) return room[0];
  if (last - first == 1) return data[first] + room[1];
  const int middle = first + (last - first) / 2;
  return add_range(data, first, middle) + add_range(data, middle, last);
}

static __global__ void add_ranges(const unsigned* data, int n, unsigned* sum) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
  if (first < n) atomicAdd(sum, add_range(data, first, min(first + 64, n)));
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 16384));
  const Cell sum;
  add_ranges<<<blocks_for(n, 64 * 64), 64>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
