// verdict: accepted
// lab: 99
// One launch for each 64 elements, and a copy back after each.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (threadIdx.x < n) atomicAdd(sum, data[threadIdx.x]);
}

int reduce_sum(int* data, int n) {
  const Cell sum;
  int result = 0;
  for (int first = 0; first < n; first += 64) {
    add<<<1, 64>>>(bits(data) + first, n - first, sum.place);
    CUDA_CHECK(cudaGetLastError());
    result = sum.value();
  }
  return result;
}
