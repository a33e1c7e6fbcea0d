// scan, one buffer: the working scan of 05, as the start of this lab. One block scans up to 1024 elements in ten
// steps; the sums are exchanged through one shared array, with two barriers a step.
//
// The goal: the same steps with one barrier each. A second array removes the reason for the other barrier.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads; also the most elements of a block, with one element a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  float sum = tid < n ? in[tid] : 0;  // of the last `stride` elements up to this one
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[tid] = sum;
    // The thread to the right, perhaps of another warp, reads this sum.
    __syncthreads();
    if (tid >= stride) sum += s_sum[tid - stride];
    // Slow threads may still read s_sum; the next step overwrites it.
    __syncthreads();
  }
  if (tid < n) out[tid] = sum;
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
