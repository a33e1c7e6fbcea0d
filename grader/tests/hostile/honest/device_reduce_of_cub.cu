// verdict: accepted
// lab: 99
// CUB's reduction of a whole array, with the temporary storage that it asks for.
#include <cub/device/device_reduce.cuh>

#include "sum.h"

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  const Cell sum;
  size_t bytes = 0;
  void* temporary = nullptr;
  CUDA_CHECK(cub::DeviceReduce::Sum(nullptr, bytes, bits(data), sum.place, n));
  CUDA_CHECK(cudaMalloc(&temporary, bytes));
  CUDA_CHECK(cub::DeviceReduce::Sum(temporary, bytes, bits(data), sum.place, n));
  const int result = sum.value();
  CUDA_CHECK(cudaFree(temporary));
  return result;
}
