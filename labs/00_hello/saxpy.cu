// saxpy, a whole CUDA program: out[i] = a · x[i] + y[i]. Arrays go to the device, one thread for each element computes
// it, the result comes back, and two events take the time of the kernel.
//
// This file compiles and runs as it is; it is wrong at every TODO. Do them in order, and run the check after each. The
// finished lines show the form: CUDA_CHECK around each CUDA call, so that an error ends the program and names the line
// and the error.
#include "common/check.h"
#include "common/contracts/saxpy.h"

constexpr int kBlock = 256;  // threads; any multiple of 32 would do, as the threads share nothing

// Runs on the device, once for each thread of the grid. All pointers are device memory.
__global__ void saxpy_kernel(const float* __restrict__ x, const float* __restrict__ y, int n, float a,
                             float* __restrict__ out) {
  // TODO 3 (3 lines): this thread's number i in the whole grid; leave if there is no element i; one element of out.
}

// Runs on the host. x, y and out are host memory, which no kernel may touch.
float saxpy(const float* x, const float* y, int n, float a, float* out) {
  if (n == 0) return 0;  // a grid of no blocks is an invalid configuration
  const size_t bytes = n * sizeof(float);

  float *d_x = nullptr, *d_y = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_x, bytes));
  // TODO 1 (2 lines here, 2 at the end): device memory for y and for the result. Free both at the end.
  // TODO 2 (2 lines here, 1 below): copy x and y to the device. cudaMemcpy(to, from, bytes, cudaMemcpyHostToDevice)

  cudaEvent_t start = nullptr, stop = nullptr;
  CUDA_CHECK(cudaEventCreate(&start));
  CUDA_CHECK(cudaEventCreate(&stop));
  const int blocks = 1;  // TODO 5 (1 line): as many blocks as n threads need, the last one perhaps not full
  // TODO 4 (2 lines here, 1 below): record `start` before the launch and `stop` after it. cudaEventRecord(start)
  saxpy_kernel<<<blocks, kBlock>>>(d_x, d_y, n, a, d_out);
  CUDA_CHECK(cudaGetLastError());  // a launch returns nothing itself: this asks whether it could begin

  // TODO 2, its second half: the way back. This copy waits until the kernel is done.
  float milliseconds = 0;
  // TODO 4, its second half: cudaEventElapsedTime(&milliseconds, start, stop)

  CUDA_CHECK(cudaEventDestroy(start));
  CUDA_CHECK(cudaEventDestroy(stop));
  CUDA_CHECK(cudaFree(d_x));
  // TODO 1, its second half
  return milliseconds;
}
