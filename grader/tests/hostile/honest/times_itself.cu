// verdict: accepted
// lab: 99
// Reads clocks, its environment and the size of the card, and prints what it read.
#include <sys/time.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include "sum.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  if (const int i = blockIdx.x * blockDim.x + threadIdx.x; i < n) atomicAdd(sum, data[i]);
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  cudaDeviceProp card{};
  CUDA_CHECK(cudaGetDeviceProperties(&card, 0));
  timeval day{};
  gettimeofday(&day, nullptr);
  const auto start = std::chrono::steady_clock::now();
  const std::clock_t cpu = std::clock();
  const Cell sum;
  add<<<blocks_for(n, 256), 256>>>(bits(data), n, sum.place);
  CUDA_CHECK(cudaGetLastError());
  const int result = sum.value();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::printf("%d elements: %g s, %ld ticks, %d multiprocessors, home %s, %ld\n", n, taken.count(),
              static_cast<long>(std::clock() - cpu), card.multiProcessorCount, std::getenv("HOME") ? "set" : "unset",
              static_cast<long>(day.tv_sec));
  return result;
}
