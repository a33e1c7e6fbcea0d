// caught by: finding.deadlock
#include "common/check.h"
#include "common/contracts/reduction.h"

// Nobody changes what it waits for: lockstep calls that a deadlock, long before any limit of time.
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
