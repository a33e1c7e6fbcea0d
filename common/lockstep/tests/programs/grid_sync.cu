// Cooperative groups: a Jacobi iteration whose rounds are separated by grid.sync(), tiled partitions of 8 and 32
// lanes with their collectives, and coalesced groups in divergent code. Cheap to compile.
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "expect.h"

namespace cg = cooperative_groups;

__global__ void smooth(float* a, float* b, int n, int rounds) {
  const cg::grid_group grid = cg::this_grid();
  for (int round = 0; round < rounds; ++round) {
    for (int i = grid.thread_rank(); i < n; i += grid.size()) {
      const float left = i > 0 ? a[i - 1] : 0.0f, right = i + 1 < n ? a[i + 1] : 0.0f;
      b[i] = 0.5f * (left + right);
    }
    // The next round reads neighbours that other blocks wrote.
    grid.sync();
    float* const other = a;
    a = b;
    b = other;
  }
}

__global__ void tiles(const int* in, int* sums_of_8, int* sums_of_32, int* odd_ranks) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  const auto block = cg::this_thread_block();
  const auto tile8 = cg::tiled_partition<8>(block);
  const auto tile32 = cg::tiled_partition<32>(block);
  const int sum8 = cg::reduce(tile8, in[i], cg::plus<int>());
  const int sum32 = cg::reduce(tile32, in[i], cg::plus<int>());
  if (tile8.thread_rank() == 0) sums_of_8[i / 8] = sum8;
  if (tile32.thread_rank() == 0) sums_of_32[i / 32] = sum32;
  odd_ranks[i] = -1;
  if (in[i] % 2) {
    const cg::coalesced_group odd = cg::coalesced_threads();
    odd_ranks[i] = odd.thread_rank();
  }
}

static void grid_wide() {
  const int n = 10'000, rounds = 5;
  std::vector<float> host(n);
  for (int i = 0; i < n; ++i) host[i] = static_cast<float>(i % 97);
  float *a = nullptr, *b = nullptr;
  CUDA_CHECK(cudaMalloc(&a, n * sizeof(float)));
  CUDA_CHECK(cudaMalloc(&b, n * sizeof(float)));
  CUDA_CHECK(cudaMemcpy(a, host.data(), n * sizeof(float), cudaMemcpyHostToDevice));
  int device = 0, processors = 0, blocks_each = 0, supported = 0;
  CUDA_CHECK(cudaGetDevice(&device));
  CUDA_CHECK(cudaDeviceGetAttribute(&supported, cudaDevAttrCooperativeLaunch, device));
  expect_equal("cooperative launch", supported, 1);
  CUDA_CHECK(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
  CUDA_CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_each, smooth, 128, 0));
  const int blocks = std::min(16, processors * blocks_each);
  int n_argument = n, rounds_argument = rounds;
  void* arguments[] = {&a, &b, &n_argument, &rounds_argument};
  CUDA_CHECK(
      cudaLaunchCooperativeKernel(reinterpret_cast<void*>(smooth), dim3(blocks), dim3(128), arguments, 0, nullptr));
  CUDA_CHECK(cudaDeviceSynchronize());

  std::vector<float> want = host, next(n), got(n);
  for (int round = 0; round < rounds; ++round) {
    for (int i = 0; i < n; ++i) next[i] = 0.5f * ((i > 0 ? want[i - 1] : 0.0f) + (i + 1 < n ? want[i + 1] : 0.0f));
    want.swap(next);
  }
  // An odd number of rounds ends in b.
  CUDA_CHECK(cudaMemcpy(got.data(), b, n * sizeof(float), cudaMemcpyDeviceToHost));
  expect_equal("grid.sync", got, want);
  CUDA_CHECK(cudaFree(a));
  CUDA_CHECK(cudaFree(b));
}

static void warp_tiles() {
  const int n = 512;
  const std::vector<int> host = random_ints(n, 0, 1000, 10);
  int *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, 3 * n * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), n * sizeof(int), cudaMemcpyHostToDevice));
  tiles<<<n / 128, 128>>>(in, out, out + n, out + 2 * n);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> got(3 * n), want8(n / 8), want32(n / 32), ranks(n, -1);
  CUDA_CHECK(cudaMemcpy(got.data(), out, got.size() * sizeof(int), cudaMemcpyDeviceToHost));
  for (int i = 0, odd = 0; i < n; ++i) {
    want8[i / 8] += host[i];
    want32[i / 32] += host[i];
    if (i % 32 == 0) odd = 0;
    if (host[i] % 2) ranks[i] = odd++;
  }
  expect_equal("tile of 8", std::vector<int>(got.begin(), got.begin() + n / 8), want8);
  expect_equal("tile of 32", std::vector<int>(got.begin() + n, got.begin() + n + n / 32), want32);
  expect_equal("coalesced ranks", std::vector<int>(got.begin() + 2 * n, got.end()), ranks);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
}

int main() {
  grid_wide();
  warp_tiles();
  return verdict("grid_sync");
}
