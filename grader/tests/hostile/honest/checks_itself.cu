// verdict: accepted
// lab: 99
// Compares its sum with the host's in small cases, as a learner does to find a mistake.
#include <cassert>
#include <numeric>
#include <vector>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  std::vector<int> copy(n <= 1000 ? n : 0);
  CUDA_CHECK(cudaMemcpy(copy.data(), data, copy.size() * sizeof(int), cudaMemcpyDeviceToHost));
  const Cell sum;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  assert(copy.empty() || sum.value() == static_cast<int>(std::accumulate(copy.begin(), copy.end(), 0u)));
  return sum.value();
}
