// unordered: a sum whose lanes read what others write without any order, and which is right all the same where lanes
// run in step. For files here that hide the place of the mistake. A macro's code has the line at which the macro
// stands.
#pragma once

#include "common/check.h"
#include "common/contracts/reduction.h"

#define UNORDERED_KERNEL(name)                                              \
  static __global__ void name(const unsigned* data, int n, unsigned* sum) { \
    __shared__ unsigned s_part[32];                                         \
    const int tid = threadIdx.x, i = blockIdx.x * 32 + tid;                 \
    s_part[tid] = i < n ? data[i] : 0;                                      \
    for (int stride = 16; stride > 0; stride /= 2)                          \
      if (tid < stride) s_part[tid] += s_part[tid + stride];                \
    if (tid == 0) atomicAdd(sum, s_part[0]);                                \
  }

using SumKernel = void (*)(const unsigned*, int, unsigned*);

inline int sum_with(SumKernel kernel, const int* data, int n) {
  if (n == 0) return 0;
  unsigned *d_sum = nullptr, sum = 0;
  CUDA_CHECK(cudaMalloc(&d_sum, sizeof *d_sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof *d_sum));
  kernel<<<(n - 1) / 32 + 1, 32>>>(reinterpret_cast<const unsigned*>(data), n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
