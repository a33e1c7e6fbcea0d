// caught by: finding.barrier_divergence
// The loop ends at stride <= tid, as tutorials print it. Some threads therefore miss its barrier. The one barrier,
// between reading and writing, also lets the next step read too early: that is a race.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads, and the most elements that one block can hold with one a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  s_sum[tid] = tid < n ? in[tid] : 0;
  __syncthreads();
  for (int stride = 1; stride <= tid; stride *= 2) {
    const float left = s_sum[tid - stride];
    __syncthreads();
    s_sum[tid] += left;
  }
  if (tid < n) out[tid] = s_sum[tid];
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
