// verdict: accepted
// lab: 99
// The kernel adds whole blocks. The host fetches one element that it does not need, and adds the few elements behind
// the last whole block.
#include <vector>

#include "sum.h"

static __global__ void add(const uint4* data, unsigned* sum) {
  const uint4 four = data[blockIdx.x * blockDim.x + threadIdx.x];
  atomicAdd(sum, four.x + four.y + four.z + four.w);
}

int reduce_sum(int* data, int n) {
  const Cell sum;
  if (n == 0) return sum.value();
  int first = 0;
  CUDA_CHECK(cudaMemcpy(&first, data, sizeof first, cudaMemcpyDeviceToHost));
  const int blocks = n / 256;
  if (blocks > 0) add<<<blocks, 64>>>(reinterpret_cast<const uint4*>(data), sum.place);
  CUDA_CHECK(cudaGetLastError());
  std::vector<unsigned> tail(n - 256 * blocks);
  CUDA_CHECK(cudaMemcpy(tail.data(), data + 256 * blocks, tail.size() * sizeof tail[0], cudaMemcpyDeviceToHost));
  unsigned all = static_cast<unsigned>(sum.value());
  for (const unsigned value : tail) all += value;
  return static_cast<int>(all);
}
