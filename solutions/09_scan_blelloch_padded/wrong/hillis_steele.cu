// caught by: rule.additions
// The result is right and no access has a conflict, but the scan makes 4,097 additions. Neighbours read neighbours, as
// in lab 05.
#include <cassert>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 512;  // threads, and elements

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  float sum = tid > 0 && tid - 1 < n ? in[tid - 1] : 0.0f;
  for (int stride = 1; stride < kBlock; stride *= 2) {
    s_sum[tid] = sum;
    // Another thread reads this sum.
    __syncthreads();
    if (tid >= stride) sum += s_sum[tid - stride];
    // Slow threads may still read s_sum; the next step overwrites it.
    __syncthreads();
  }
  if (tid < n) out[tid] = sum;
}

void scan_exclusive(const float* in, int n, float* out) {
  assert(n <= kBlock);
  if (n == 0) return;  // nothing to write
  scan_exclusive_kernel<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
