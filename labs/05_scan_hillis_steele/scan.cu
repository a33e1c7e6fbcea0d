// scan, Hillis and Steele: one block scans up to 1024 elements in ten steps. In the step with stride s every thread
// adds the sum of the thread s places to its left, so that sums cover 1, 2, 4, … elements. Few steps, many
// additions: n · log₂ n instead of n. The sums are exchanged through one shared array, with two barriers a step.
//
// This file compiles and runs as it is; it is wrong at every TODO.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 1024;  // threads; also the most elements of a block, with one element a thread

__global__ void scan_block(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  const int tid = threadIdx.x;

  // No early return for tid >= n: every thread has to come to the barriers. It adds zeros.
  float sum = 0;  // TODO 1 (1 line): this thread's element, or 0 where there is none

  // TODO 2 (1 line): strides 1, 2, 4, … up to the last one below the number of threads. Every thread of the block goes
  // through the loop equally often.
  for (int stride = 1; stride < 2; stride *= 2) {
    s_sum[tid] = sum;
    // TODO 3 (1 line, and a comment that says why it is needed): wait for the block.
    sum = s_sum[tid];  // TODO 4 (1 line): add to sum what the thread `stride` to the left has stored, if there is one.
    // TODO 5 (1 line, and a comment that says why it is needed): wait for the block.
  }
  if (tid < n) out[tid] = sum;
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // nothing to do, and in and out may be null
  scan_block<<<1, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
