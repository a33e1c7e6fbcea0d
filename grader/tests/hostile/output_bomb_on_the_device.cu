// verdict: output limit · output
// lab: 02
// Prints 64 MB from the kernel.
#include <cstdio>

#include "right.h"

static __global__ void chat(int n) {
  for (int i = 0; i < 2000; ++i) printf("%1000d\n", n);
}

int reduce_sum(int* data, int n) {
  chat<<<1, 32>>>(n);
  CUDA_CHECK(cudaGetLastError());
  return right_sum(data, n);
}
