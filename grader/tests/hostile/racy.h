// racy: a sum with a race, which is right by luck where warps run in their order; and the same sum without it. For
// files here that choose the first where they expect no check.
#pragma once

#include "common/check.h"
#include "common/contracts/reduction.h"

constexpr int kRacyThreads = 256;

template <bool kWaits>
static __global__ void racy_sum_kernel(const int* data, int n, int* sum) {
  __shared__ int s_values[kRacyThreads];
  const int tid = threadIdx.x, i = blockIdx.x * kRacyThreads + tid;
  s_values[tid] = i < n ? data[i] : 0;
  if (kWaits) __syncthreads();  // the last thread reads what all the others write
  if (tid != kRacyThreads - 1) return;
  unsigned total = 0;
  for (int k = 0; k < kRacyThreads; ++k) total += s_values[k];
  atomicAdd(reinterpret_cast<unsigned*>(sum), total);
}

inline int racy_sum(const int* data, int n, bool waits) {
  if (n == 0) return 0;
  int sum = 0, *d_sum = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sum, sizeof sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof sum));
  const int blocks = (n - 1) / kRacyThreads + 1;
  if (waits) {
    racy_sum_kernel<true><<<blocks, kRacyThreads>>>(data, n, d_sum);
  } else {
    racy_sum_kernel<false><<<blocks, kRacyThreads>>>(data, n, d_sum);
  }
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return sum;
}
