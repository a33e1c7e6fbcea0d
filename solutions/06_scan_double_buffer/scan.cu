// scan, double buffer: one block scans up to 1024 elements in ten steps, as in 05, with one barrier a step instead of
// two. The steps alternate between two shared arrays: while slow threads read one, fast ones already write the other.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads; also the most elements of a block, with one element a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[2][kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  float sum = tid < n ? in[tid] : 0;  // of the last `stride` elements up to this one
  int buffer = 0;
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[buffer][tid] = sum;
    // The thread to the right reads this sum. And once all threads are here, none still reads the buffer of the step
    // before, which the next step overwrites.
    __syncthreads();
    if (tid >= stride) sum += s_sum[buffer][tid - stride];
    buffer = 1 - buffer;
  }
  if (tid < n) out[tid] = sum;
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
