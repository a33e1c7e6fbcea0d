// saxpy, a whole CUDA program: arrays go to the device, one thread for each element computes it, the result comes back.
// Two events around the launch take the time of only the kernel; every call is checked.
#include "common/check.h"
#include "common/contracts/saxpy.h"

constexpr int kBlock = 256;  // threads; any multiple of 32 would do, as the threads share nothing

__global__ void saxpy_kernel(const float* __restrict__ x, const float* __restrict__ y, int n, float a,
                             float* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;  // the last block may have more threads than there are elements left
  out[i] = a * x[i] + y[i];
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const size_t bytes = n * sizeof(float);

  float *d_x = nullptr, *d_y = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  CUDA_CHECK(cudaMalloc(&d_y, bytes));
  CUDA_CHECK(cudaMalloc(&d_out, bytes));
  CUDA_CHECK(cudaMemcpy(d_x, x, bytes, cudaMemcpyHostToDevice));
  CUDA_CHECK(cudaMemcpy(d_y, y, bytes, cudaMemcpyHostToDevice));

  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  const int blocks = (n - 1) / kBlock + 1;
  CUDA_CHECK(cudaEventRecord(start));
  saxpy_kernel<<<blocks, kBlock>>>(d_x, d_y, n, a, d_out);
  CUDA_CHECK(cudaGetLastError());  // a launch returns nothing itself
  CUDA_CHECK(cudaEventRecord(stop));

  // Waits for the kernel, as both are on the default stream; after it `stop` has happened, too.
  CUDA_CHECK(cudaMemcpy(out, d_out, bytes, cudaMemcpyDeviceToHost));
  float milliseconds = 0;
  CUDA_CHECK(cudaEventElapsedTime(&milliseconds, start, stop));

  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(d_x));
  CUDA_CHECK(cudaFree(d_y));
  CUDA_CHECK(cudaFree(d_out));
  return milliseconds;
}
