// verdict: accepted
// lab: 00
// Copies pieces of 1024 elements to the device by way of pinned memory, and works on each piece with a launch of its
// own.
#include <algorithm>
#include <cstring>

#include "common/check.h"
#include "common/contracts/saxpy.h"

constexpr int kPiece = 1024;

static __global__ void saxpy_kernel(const float* x, const float* y, int n, float a, float* out) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) out[i] = a * x[i] + y[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  float *pinned = nullptr, *d = nullptr;
  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, 2 * kPiece * sizeof *pinned));
  CUDA_CHECK(cudaMalloc(&d, 3 * kPiece * sizeof *d));
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  CUDA_CHECK(cudaEventRecord(start));
  for (int first = 0; first < n; first += kPiece) {
    const int count = std::min(kPiece, n - first);
    const size_t bytes = count * sizeof(float);
    std::memcpy(pinned, x + first, bytes);
    std::memcpy(pinned + count, y + first, bytes);
    CUDA_CHECK(cudaMemcpyAsync(d, pinned, 2 * bytes, cudaMemcpyHostToDevice));
    saxpy_kernel<<<(count - 1) / 128 + 1, 128>>>(d, d + count, count, a, d + 2 * kPiece);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaMemcpy(out + first, d + 2 * kPiece, bytes, cudaMemcpyDeviceToHost));
  }
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaEventSynchronize(stop));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(d));
  CUDA_CHECK(cudaFreeHost(pinned));
  return milliseconds;
}
