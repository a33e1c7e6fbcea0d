// verdict: accepted
// lab: 99
// Chooses its blocks by the card's name, its free memory, the number of the call and the clock. Every choice is right.
#include <chrono>
#include <cstring>

#include "common/check.h"
#include "common/contracts/reduction.h"

static __global__ void sum_warps(const int* data, int n, unsigned* sum) {
  unsigned mine = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) mine += data[i];
  for (int offset = 16; offset > 0; offset /= 2) mine += __shfl_down_sync(0xFFFFFFFFu, mine, offset);
  if (threadIdx.x % 32 == 0) atomicAdd(sum, mine);
}

int reduce_sum(int* data, int n) {
  static int calls = 0;
  cudaDeviceProp card;
  CUDA_CHECK(cudaGetDeviceProperties(&card, 0));
  size_t free_bytes = 0, total = 0;
  CUDA_CHECK(cudaMemGetInfo(&free_bytes, &total));
  const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
  const int threads = 32 * (1 + static_cast<int>((std::strlen(card.name) + ++calls + now) % 8));
  const int blocks = free_bytes > total / 2 ? card.multiProcessorCount / 4 : 1;
  unsigned sum = 0, *d_sum = nullptr;
  CUDA_CHECK(cudaMalloc(&d_sum, sizeof sum));
  CUDA_CHECK(cudaMemset(d_sum, 0, sizeof sum));
  sum_warps<<<blocks, threads>>>(data, n, d_sum);
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaMemcpy(&sum, d_sum, sizeof sum, cudaMemcpyDeviceToHost));
  CUDA_CHECK(cudaFree(d_sum));
  return static_cast<int>(sum);
}
