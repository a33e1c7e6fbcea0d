// verdict: accepted
// lab: 00
// Kernels read pieces of 1024 elements in pinned memory. While a kernel works on one half, the host fills the other,
// byte by byte.
#include <algorithm>

#include "common/check.h"
#include "common/contracts/saxpy.h"

constexpr int kPiece = 1024;

static __global__ void saxpy_kernel(const float* x, const float* y, int n, float a, float* out) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) out[i] = a * x[i] + y[i];
}

static void copy_bytes(float* to, const float* from, int count) {
  volatile char* const bytes = reinterpret_cast<char*>(to);
  for (size_t i = 0; i < count * sizeof *from; ++i) bytes[i] = reinterpret_cast<const char*>(from)[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  float *pinned = nullptr, *d_out = nullptr;
  cudaEvent_t done[2] = {}, start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaMallocHost(&pinned, 4 * kPiece * sizeof *pinned));
  CUDA_CHECK(cudaMalloc(&d_out, n * sizeof *d_out));
  for (cudaEvent_t* event : {&done[0], &done[1], &start, &stop}) CUDA_CHECK(cudaEventCreate(event));
  CUDA_CHECK(cudaEventRecord(start));
  for (int first = 0; first < n; first += kPiece) {
    const int count = std::min(kPiece, n - first), half = first / kPiece % 2;
    float* const piece = pinned + 2 * kPiece * half;
    CUDA_CHECK(cudaEventSynchronize(done[half]));
    copy_bytes(piece, x + first, count);
    copy_bytes(piece + kPiece, y + first, count);
    saxpy_kernel<<<(count - 1) / 128 + 1, 128>>>(piece, piece + kPiece, count, a, d_out + first);
    CUDA_CHECK(cudaGetLastError());
    CUDA_CHECK(cudaEventRecord(done[half]));
  }
  CUDA_CHECK(cudaEventRecord(stop));
  CUDA_CHECK(cudaMemcpy(out, d_out, n * sizeof *out, cudaMemcpyDeviceToHost));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));
  for (cudaEvent_t event : {done[0], done[1], start, stop}) CUDA_CHECK(cudaEventDestroy(event));
  CUDA_CHECK(cudaFree(d_out));
  CUDA_CHECK(cudaFreeHost(pinned));
  return milliseconds;
}
