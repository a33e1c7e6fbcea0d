// scan, naive: one thread per output, and each adds up its own prefix from the start. It takes n²/2 additions; a serial
// scan needs n. The serial scans for the host stand first. Every later rung is compared with them.
#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;  // threads; any multiple of 32 would do, as the threads share nothing

void scan_inclusive_cpu(const float* in, int n, float* out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    sum += in[i];
    out[i] = sum;
  }
}

void scan_exclusive_cpu(const float* in, int n, float* out) {
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    out[i] = sum;
    sum += in[i];
  }
}

__global__ void scan_inclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // no barrier follows
  float sum = 0;
  for (int j = 0; j <= i; ++j) sum += in[j];
  out[i] = sum;
}

__global__ void scan_exclusive_kernel(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // no barrier follows
  float sum = 0;
  for (int j = 0; j < i; ++j) sum += in[j];
  out[i] = sum;
}

// The number of blocks for n > 0 threads; the last may not be full. (n + kBlock - 1) / kBlock overflows for large n.
static int block_count(int n) { return (n - 1) / kBlock + 1; }

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  scan_inclusive_kernel<<<block_count(n), kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}

void scan_exclusive(const float* in, int n, float* out) {
  if (n == 0) return;  // a grid of no blocks is an invalid configuration
  scan_exclusive_kernel<<<block_count(n), kBlock>>>(in, n, out);
  CUDA_CHECK(cudaGetLastError());
}
