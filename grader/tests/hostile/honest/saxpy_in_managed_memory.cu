// verdict: accepted
// lab: 00
// The arrays are in managed memory: the host copies them there, the kernel works in place, and the host reads the
// output.
#include <cstring>

#include "common/check.h"
#include "common/contracts/saxpy.h"

static __global__ void saxpy_kernel(const float* x, const float* y, int n, float a, float* out) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) out[i] = a * x[i] + y[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  const size_t bytes = n * sizeof(float);
  float* shared = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaMallocManaged(&shared, 3 * bytes));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  std::memcpy(shared, x, bytes);
  std::memcpy(shared + n, y, bytes);
  CUDA_CHECK(cudaEventRecord(start));
  saxpy_kernel<<<(n - 1) / 256 + 1, 256>>>(shared, shared + n, n, a, shared + 2 * n);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::memcpy(out, shared + 2 * n, bytes);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(shared));
  return milliseconds;
}
