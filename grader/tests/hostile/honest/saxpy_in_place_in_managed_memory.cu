// verdict: accepted
// lab: 00
// The kernel writes its results over y, in managed memory. Where x is 0, it stores the value that was there before.
#include <cstring>

#include "common/check.h"
#include "common/contracts/saxpy.h"

static __global__ void saxpy_kernel(const float* x, float* y, int n, float a) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) y[i] = a * x[i] + y[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  const size_t bytes = n * sizeof(float);
  float *d_x = nullptr, *d_y = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaMallocManaged(&d_x, bytes));
  CUDA_CHECK(cudaMallocManaged(&d_y, bytes));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  std::memcpy(d_x, x, bytes);
  std::memcpy(d_y, y, bytes);
  CUDA_CHECK(cudaEventRecord(start));
  saxpy_kernel<<<(n - 1) / 256 + 1, 256>>>(d_x, d_y, n, a);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::memcpy(out, d_y, bytes);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  return milliseconds;
}
