// verdict: accepted
// lab: 99
// Two threads of the host launch one half each, and are joined.
#include <thread>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

static void launch(const unsigned* data, int n, unsigned* sum) {
  if (n == 0) return;
  add<<<blocks_for(n, 128), 128>>>(data, n, sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}

int reduce_sum(int* data, int n) {
  const Cell sum;
  std::thread other(launch, bits(data), n / 2, sum.place);
  launch(bits(data) + n / 2, n - n / 2, sum.place);
  other.join();
  return sum.value();
}
