// caught by: finding.race
// The second array is there and never used: with one barrier a step and one buffer, fast threads overwrite what slow
// ones still read.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads, and the most elements that one block can hold with one a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[2][kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  float sum = tid < n ? in[tid] : 0;  // of the last `stride` elements up to this one
  int buffer = 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[buffer][tid] = sum;
    // The thread to the right reads this sum. And nobody gets here while others still read the buffer of the step
    // before: that is the one that the next step overwrites.
    __syncthreads();
    if (tid >= stride) sum += s_sum[buffer][tid - stride];
  }
  if (tid < n) out[tid] = sum;
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
