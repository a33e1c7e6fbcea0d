// scan, naive: one thread per output, and each sums its own prefix from the start. n²/2 additions where a serial
// scan needs n. The serial scans for the host stand first; every later rung is compared with them.
//
// This file compiles and runs as it is; it is wrong at every TODO. Do them in order: the check names the first
// function that is still wrong.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;  // threads; any multiple of 32 would do, as the threads share nothing

void scan_inclusive_cpu(const float* in, int n, float* out) {
  // TODO 1 (3 lines): out[i] = in[0] + … + in[i], with n additions in all. Keep the sum so far in a variable.
  for (int i = 0; i < n; ++i) out[i] = in[i];
}

void scan_exclusive_cpu(const float* in, int n, float* out) {
  // TODO 2 (3 lines): out[i] = in[0] + … + in[i-1], and out[0] = 0.
  for (int i = 0; i < n; ++i) out[i] = in[i];
}

__global__ void scan_inclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int i = threadIdx.x;  // TODO 3 (1 line): the index in the whole grid, not in the block
  if (i >= n) return;
  out[i] = in[i];  // TODO 4 (3 lines): sum in[0] … in[i] in a register, then store it
}

// TODO 5 (7 lines): scan_exclusive_kernel

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  // TODO 6 (1 line): as many blocks as n threads need, the last one perhaps not full
  const int blocks = 1;
  scan_inclusive_kernel<<<blocks, kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}

void scan_exclusive(const float* in, int n, float* out) {
  scan_inclusive(in, n, out);  // TODO 7 (3 lines): launch your own kernel
}
