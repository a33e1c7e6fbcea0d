// verdict: rule broken · work.input
// lab: 00
// The kernel takes its time. Meanwhile another thread of the host computes the output from managed memory, in which the
// kernel sees its input.
#include <cstring>
#include <thread>

#include "right.h"

static __global__ void take_time(const float* x, volatile int* started, volatile float* end) {
  *started = 1;
  float value = x[0];
  for (int step = 0; step < 100'000; ++step) value = value * 0.5f + 1;
  *end = value;
}

float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;
  float *shared = nullptr, *end = nullptr;
  int* flag = nullptr;
  CUDA_CHECK(cudaMallocManaged(&shared, 2 * n * sizeof *shared));
  CUDA_CHECK(cudaMallocHost(&flag, sizeof *flag));
  CUDA_CHECK(cudaMalloc(&end, sizeof *end));
  std::memcpy(shared, x, n * sizeof *x);
  std::memcpy(shared + n, y, n * sizeof *y);
  volatile int* const started = flag;
  *started = 0;
  std::thread beside([=] {
    while (*started == 0) {}
    for (int i = 0; i < n; ++i) out[i] = a * shared[i] + shared[n + i];
  });
  take_time<<<1, 1>>>(shared, started, end);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
  beside.join();
  CUDA_CHECK(cudaFree(shared));
  CUDA_CHECK(cudaFree(end));
  CUDA_CHECK(cudaFreeHost(flag));
  return 0.5f;
}
