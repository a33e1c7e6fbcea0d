// verdict: time · time
// lab: 02
// A kernel that counts for ever. Each round differs from all rounds before, so no check can tell that it never ends.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void count_for_ever(volatile int* data) {
  for (unsigned long long round = 1; round != 0; ++round) data[0] = static_cast<int>(round);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  count_for_ever<<<1, 32>>>(data);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
