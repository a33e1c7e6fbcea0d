// caught by: finding.barrier_divergence
// The loop ends at stride <= tid, earlier for threads with a small number. Those threads miss the barriers at which the
// others wait. Each step has both of its barriers.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads, and the most elements that one block can hold with one a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  s_sum[tid] = tid < n ? in[tid] : 0;
  // The first step reads the elements of other threads.
  __syncthreads();
  for (int stride = 1; stride <= tid; stride *= 2) {
    const float left = s_sum[tid - stride];
    // All have read; now sums may be overwritten.
    __syncthreads();
    s_sum[tid] += left;
    // The next step reads sums that other threads are writing in this one.
    __syncthreads();
  }
  if (tid < n) out[tid] = s_sum[tid];
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
