// calls: the sum that files about unchecked errors use. CHECK is what the file does with what a call returns. A
// file defines it before it includes this.
#pragma once

#include "common/contracts/reduction.h"

#include <cuda_runtime.h>

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

inline int sum_of(const int* data, int n) {
  if (n == 0) return 0;
  unsigned *d_sum = nullptr, sum = 0;
  CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
  CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
  add<<<(n - 1) / 256 + 1, 256>>>(reinterpret_cast<const unsigned*>(data), n, d_sum);
  CHECK(cudaGetLastError());
  CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
