// caught by: finding.race
// The scan works in place with one barrier a step. A thread overwrites its sum while its neighbour still reads it in
// the same step.
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
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid >= stride) s_sum[tid] += s_sum[tid - stride];
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
