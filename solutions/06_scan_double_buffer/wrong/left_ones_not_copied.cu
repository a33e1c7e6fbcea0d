// caught by: finding.uninitialised_read
// Threads without a left neighbour store nothing. Their finished sums stay in the other buffer, and the next step reads
// words that were never written.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads, and the most elements that one block can hold with one a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[2][kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  int to = 0;
  s_sum[to][tid] = tid < n ? in[tid] : 0;
  // The first step reads the elements of other threads.
  __syncthreads();
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    to = 1 - to;
    const int from = 1 - to;
    if (tid >= stride) s_sum[to][tid] = s_sum[from][tid] + s_sum[from][tid - stride];
    // The next step reads what this one writes, and overwrites what this one reads.
    __syncthreads();
  }
  if (tid < n) out[tid] = s_sum[to][tid];
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
