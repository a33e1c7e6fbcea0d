// right: the answers of an honest submission, for files here that cheat elsewhere: such a file is then refused for its
// cheating and not for a wrong answer. It keeps the rules of labs 02 and 15.
#pragma once

#include <numeric>
#include <vector>

#include "common/check.h"
#include "common/contracts/histogram.h"
#include "common/contracts/reduction.h"
#include "common/contracts/saxpy.h"

static __global__ void right_sum_kernel(unsigned* data, int n, unsigned* sums) {
  const int first = blockIdx.x * blockDim.x, tid = threadIdx.x;
  unsigned* block = data + first;
  const int count = min(n - first, static_cast<int>(blockDim.x));
  for (int stride = 1; stride < blockDim.x; stride *= 2) {
    if (tid % (2 * stride) == 0 && tid + stride < count) block[tid] += block[tid + stride];
    __syncthreads();  // the next step reads what other threads write in this one
  }
  if (tid == 0) sums[blockIdx.x] = block[0];
}

inline int right_sum(int* data, int n) {
  if (n == 0) return 0;
  const int blocks = (n - 1) / 1024 + 1;
  unsigned* d_sums = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sums, blocks * sizeof *d_sums));
  right_sum_kernel<<<blocks, 1024>>>(reinterpret_cast<unsigned*>(data), n, d_sums);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> sums(blocks);
  CUDA_CHECK(cudaMemcpy(sums.data(), d_sums, blocks * sizeof *d_sums, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sums));
  return static_cast<int>(std::accumulate(sums.begin(), sums.end(), 0u));
}

static __global__ void right_histogram_kernel(const unsigned char* data, size_t bytes, unsigned* bins) {
  const size_t stride = size_t{gridDim.x} * blockDim.x;
  for (size_t i = size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < bytes; i += stride) atomicAdd(&bins[data[i]], 1u);
}

inline void right_histogram(const unsigned char* data, size_t bytes, unsigned* bins, cudaStream_t stream = nullptr) {
  CUDA_CHECK(cudaMemsetAsync(bins, 0, kBins * sizeof *bins, stream));
  if (bytes == 0) return;
  right_histogram_kernel<<<64, 256, 0, stream>>>(data, bytes, bins);
  CUDA_CHECK(cudaGetLastError());
}

static __global__ void right_saxpy_kernel(const float* x, const float* y, int n, float a, float* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a * x[i] + y[i];
}

inline float right_saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  const size_t bytes = n * sizeof(float);
  float* d = nullptr;  // x, y and out, one behind the other
  CUDA_CHECK(cudaMalloc(&d, 3 * (bytes + 256)));
  float *d_x = d, *d_y = d + (n + 63) / 64 * 64, *d_out = d_y + (n + 63) / 64 * 64;
  CUDA_CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice));
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  right_saxpy_kernel<<<(n - 1) / 256 + 1, 256>>>(d_x, d_y, n, a, d_out);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(d));
  return milliseconds;
}
