// caught by: case.scan_inclusive.2
// The first thread that has a left neighbour is left out: tid > stride instead of tid >= stride, so that in[0] is
// missing from the sums 1, 2, 4, …
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads, and the most elements that one block can hold with one a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  float sum = tid < n ? in[tid] : 0;  // of the last `stride` elements up to this one
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    s_sum[tid] = sum;
    // The thread to the right, perhaps of another warp, reads this sum.
    __syncthreads();
    if (tid > stride) sum += s_sum[tid - stride];
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
