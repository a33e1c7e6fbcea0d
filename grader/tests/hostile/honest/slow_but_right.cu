// verdict: accepted
// lab: 99
// One thread does all the work.
#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  for (int i = 0; i < n; ++i) *sum += data[i];
}

int reduce_sum(int* data, int n) {
  const Cell sum;
  add<<<1, 1>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
