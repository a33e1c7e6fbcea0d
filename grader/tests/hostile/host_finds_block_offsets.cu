// verdict: rule broken · work
// lab: 07
// The host adds up the whole input to find the sum before each block. A kernel scans the blocks with these.
#include <vector>

#include "common/check.h"
#include "common/contracts/scan.h"

constexpr int kBlock = 256;

static __global__ void scan_block(const float* in, int n, const float* offsets, float* out) {
  __shared__ float s[kBlock];
  const int tid = threadIdx.x, i = blockIdx.x * kBlock + tid;
  s[tid] = i < n ? in[i] : 0;
  __syncthreads();
  for (int step = 1; step < kBlock; step *= 2) {
    const float left = tid >= step ? s[tid - step] : 0;
    __syncthreads();  // the value at tid may still be read
    s[tid] += left;
    __syncthreads();
  }
  if (i < n) out[i] = s[tid] + offsets[blockIdx.x];
}

void scan_inclusive(const float* in, int n, float* out) {
  if (n == 0) return;
  const int blocks = (n - 1) / kBlock + 1;
  std::vector<float> copy(n), offsets(blocks);
  CUDA_CHECK(cudaMemcpy(copy.data(), in, n * sizeof *in, cudaMemcpyDeviceToHost));
  float sum = 0;
  for (int i = 0; i < n; ++i) {
    if (i % kBlock == 0) offsets[i / kBlock] = sum;
    sum += copy[i];
  }
  float* d_offsets = nullptr;
  CUDA_CHECK(cudaMalloc(&d_offsets, blocks * sizeof *d_offsets));
  CUDA_CHECK(cudaMemcpy(d_offsets, offsets.data(), blocks * sizeof *d_offsets, cudaMemcpyHostToDevice));
  scan_block<<<blocks, kBlock>>>(in, n, d_offsets, out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaFree(d_offsets));
}
