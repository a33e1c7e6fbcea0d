// verdict: accepted
// lab: 99
// Sleeps for a hundredth of a second in every call, like a driver that is slow to start.
#include <chrono>
#include <thread>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  std::this_thread::sleep_for(std::chrono::milliseconds(10));
  if (n == 0) return 0;
  const Cell sum;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  return sum.value();
}
