// verdict: rule broken · finding.deadlock
// lab: 02
// A kernel that waits for a change that no thread makes.
#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void wait_for_ever(volatile int* data) {
  const int before = data[0];
  while (data[0] == before) {}
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  wait_for_ever<<<1, 32>>>(data);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  return 0;
}
