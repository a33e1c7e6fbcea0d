// What a program learns about registers, and what a card refuses because of them. ptxas decides how many registers a
// thread gets, and the blocks that a multiprocessor holds follow from that. The numbers are those of an H200.

#include <vector>

#include "expect.h"

// Keeps N values of each thread.
template <int N>
__global__ void keep(float* values, int stride) {
  float kept[N];
#pragma unroll
  for (int i = 0; i < N; ++i) kept[i] = values[i * stride + threadIdx.x];
#pragma unroll
  for (int round = 0; round < 2; ++round) {
#pragma unroll
    for (int i = 0; i < N; ++i) kept[i] = kept[i] * kept[(i + 7) % N] + kept[(i + 3) % N];
  }
#pragma unroll
  for (int i = 0; i < N; ++i) values[i * stride + threadIdx.x] = kept[i];
}

// ptxas finds a way with so few registers that a block of 1024 threads fits.
__global__ void __launch_bounds__(1024) keep_in_bounds(float* values, int stride) {
  float kept[60];
#pragma unroll
  for (int i = 0; i < 60; ++i) kept[i] = values[i * stride + threadIdx.x];
#pragma unroll
  for (int i = 0; i < 60; ++i) values[i * stride + threadIdx.x] = kept[i] * kept[(i + 9) % 60] + kept[(i + 31) % 60];
}

struct Expected {
  const char* name;
  void (*kernel)(float*, int);
  int registers, most_threads;
  std::vector<int> blocks;  // of 32, 64, 96, 128, 224, 320, 512, 1024 threads
};

static void check_kernel(const Expected& e) {
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, reinterpret_cast<const void*>(e.kernel)));
  expect_equal(e.name, attributes.numRegs, e.registers);
  expect_equal(e.name, attributes.maxThreadsPerBlock, e.most_threads);
  std::vector<int> blocks;
  for (const int threads : {32, 64, 96, 128, 224, 320, 512, 1024})
    CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks.emplace_back(), e.kernel, threads, 0));
  expect_equal(e.name, blocks, e.blocks);
}

static void check_launch(const char* name, void (*kernel)(float*, int), int threads, cudaError_t expected) {
  static float* values = nullptr;
  if (!values) CUDA_CHECK(cudaMalloc(&values, 200 * 1024 * sizeof(float)));
  CUDA_CHECK(cudaMemset(values, 0, 200 * 1024 * sizeof(float)));
  kernel<<<1, threads>>>(values, 1024);
  expect_equal(name, cudaGetLastError(), expected);
  CUDA_CHECK(cudaDeviceSynchronize());
}

int main() {
  check_kernel({"keep<4>", keep<4>, 20, 1024, {32, 32, 21, 16, 9, 6, 4, 2}});
  check_kernel({"keep<16>", keep<16>, 56, 1024, {32, 18, 12, 9, 5, 3, 2, 1}});
  check_kernel({"keep<28>", keep<28>, 96, 640, {20, 10, 6, 5, 2, 2, 1, 0}});
  check_kernel({"keep<40>", keep<40>, 128, 512, {16, 8, 5, 4, 2, 1, 1, 0}});
  check_kernel({"keep<200>", keep<200>, 255, 256, {8, 4, 2, 2, 1, 0, 0, 0}});
  check_kernel({"keep_in_bounds", keep_in_bounds, 64, 1024, {32, 16, 10, 8, 4, 3, 2, 1}});
  int grid = 0, block = 0;
  CUDA_CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, keep<16>, 0, 0));
  expect_equal("the best grid and block", {grid, block}, std::vector<int>{264, 576});
  check_launch("keep<40>, 512 threads", keep<40>, 512, cudaSuccess);
  check_launch("keep<40>, 1024 threads", keep<40>, 1024, cudaErrorLaunchOutOfResources);
  check_launch("keep<200>, 256 threads", keep<200>, 256, cudaSuccess);
  check_launch("keep<200>, 288 threads", keep<200>, 288, cudaErrorLaunchOutOfResources);
  check_launch("keep_in_bounds, 1024 threads", keep_in_bounds, 1024, cudaSuccess);
  return verdict("registers");
}
