// verdict: accepted
// lab: 99
// Sums with CUB's own kernels. CUB's functions return other errors than the CUDA calls in them.
#include <cub/device/device_reduce.cuh>

#include "sum.h"

int reduce_sum(int* data, int n) {
  const Cell sum;
  size_t bytes = 0;
  CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, bits(data), sum.place, n));
  void* scratch = nullptr;
  CUDA_CHECK(cudaMalloc(&scratch, bytes));
  CUDA_CHECK(cub::DeviceReduce::Sum(scratch, bytes, bits(data), sum.place, n));
  CUDA_CHECK(cudaFree(scratch));
  return sum.value();
}
