// verdict: accepted
// lab: 00
// The kernel works in place in mapped, pinned memory, four elements a thread, by 16-byte accesses where it can.
#include <cstring>

#include "common/check.h"
#include "common/contracts/saxpy.h"

static __global__ void saxpy_kernel(const float* x, float* y, int n, float a) {
  const int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);
  if (first + 4 <= n) {
    const float4 u = *reinterpret_cast<const float4*>(x + first), v = *reinterpret_cast<const float4*>(y + first);
    *reinterpret_cast<float4*>(y + first) = {a * u.x + v.x, a * u.y + v.y, a * u.z + v.z, a * u.w + v.w};
    return;
  }
  for (int i = first; i < n; ++i) y[i] += a * x[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  const size_t bytes = n * sizeof(float);
  float *h_x = nullptr, *h_y = nullptr, *d_x = nullptr, *d_y = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaHostAlloc(&h_x, bytes, cudaHostAllocMapped));
  CUDA_CHECK(cudaHostAlloc(&h_y, bytes, cudaHostAllocMapped));
  CUDA_CHECK(cudaHostGetDevicePointer(&d_x, h_x, 0));
  CUDA_CHECK(cudaHostGetDevicePointer(&d_y, h_y, 0));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  std::memcpy(h_x, x, bytes);
  std::memcpy(h_y, y, bytes);
  CUDA_CHECK(cudaEventRecord(start));
  saxpy_kernel<<<(n - 1) / 1024 + 1, 256>>>(d_x, d_y, n, a);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  std::memcpy(out, h_y, bytes);
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFreeHost(h_x));
  CUDA_CHECK(cudaFreeHost(h_y));
  return milliseconds;
}
