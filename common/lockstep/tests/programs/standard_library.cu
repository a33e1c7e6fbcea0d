// CUDA's C++ standard library in device code: atomics by scope and order, atomic_ref, a barrier object, a latch, a
// counting semaphore, asynchronous copies (plain copies on compute_75), spans and arrays, device-side new
// and delete, and atomic functions on every type.
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>

#include <cuda/atomic>
#include <cuda/barrier>
#include <cuda/std/array>
#include <cuda/std/limits>
#include <cuda/std/span>
#include <cuda/std/utility>

#include "expect.h"

namespace cg = cooperative_groups;

struct Totals {
  unsigned adds, maximum, xors;
  unsigned long long wide;
  double sum;
  float fsum;
  int least, swaps;
  unsigned short narrow;
};

__global__ void atomics(Totals* totals) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> adds(totals->adds);
  adds.fetch_add(i, cuda::memory_order_relaxed);
  cuda::atomic_ref<unsigned, cuda::thread_scope_device> maximum(totals->maximum);
  maximum.fetch_max(i ^ 0x55);
  cuda::atomic_ref<unsigned, cuda::thread_scope_block> xors(totals->xors);
  xors.fetch_xor(i * i);
  atomicAdd(&totals->wide, static_cast<unsigned long long>(i) << 31);
  atomicAdd(&totals->sum, 0.5 * i);
  atomicAdd(&totals->fsum, 0.25f);
  atomicMin(&totals->least, 100 - static_cast<int>(i));
  // A double maximum and a 16-bit addition by compare-and-swap.
  unsigned short seen = totals->narrow, assumed;
  do {
    assumed = seen;
    seen = atomicCAS(&totals->narrow, assumed, static_cast<unsigned short>(assumed + 3));
  } while (seen != assumed);
  cuda::atomic_ref<int, cuda::thread_scope_system> swaps(totals->swaps);
  int expected = swaps.load(cuda::memory_order_acquire);
  while (!swaps.compare_exchange_weak(expected, expected + 2, cuda::memory_order_acq_rel)) {}
}

__global__ void pipeline(const int* in, int* out, int rounds) {
  constexpr int kTile = 128;
  __shared__ int s_tile[kTile];
  __shared__ cuda::barrier<cuda::thread_scope_block> s_barrier;
  const auto block = cg::this_thread_block();
  if (block.thread_rank() == 0) init(&s_barrier, block.size());
  block.sync();
  int sum = 0;
  for (int round = 0; round < rounds; ++round) {
    cg::memcpy_async(block, s_tile, in + round * kTile, sizeof s_tile);
    cg::wait(block);
    sum += s_tile[kTile - 1 - threadIdx.x];
    // All threads have read before the next copy overwrites.
    s_barrier.arrive_and_wait();
  }
  out[threadIdx.x] = sum;
}

__device__ int total(cuda::std::span<const int> values) {
  int sum = 0;
  for (const int v : values) sum += v;
  return sum;
}

struct Node {
  int value;
  Node* next;
};

__global__ void containers(int* out) {
  const int tid = threadIdx.x;
  cuda::std::array<int, 6> values{};
  for (int i = 0; i < 6; ++i) values[i] = tid * i;
  const auto pair = cuda::std::make_pair(total(values), cuda::std::numeric_limits<int>::max());
  // A list on the device's heap; its length is the thread's number modulo 4.
  Node* list = nullptr;
  for (int i = 0; i < tid % 4; ++i) list = new Node{i + 1, list};
  int listed = 0;
  while (list) {
    Node* const next = list->next;
    listed = listed * 10 + list->value;
    delete list;
    list = next;
  }
  out[tid] = pair.first + (pair.second == 0x7fffffff) + listed * 1000;
}

int main() {
  Totals* totals = nullptr;
  CUDA_CHECK(cudaMallocManaged(&totals, sizeof *totals));
  *totals = {};
  const unsigned threads = 4 * 96;
  atomics<<<4, 96>>>(totals);
  CUDA_CHECK(cudaDeviceSynchronize());
  unsigned adds = 0, maximum = 0, xors = 0;
  for (unsigned i = 0; i < threads; ++i) adds += i, maximum = std::max(maximum, i ^ 0x55), xors ^= i * i;
  expect_equal("fetch_add", totals->adds, adds);
  expect_equal("fetch_max", totals->maximum, maximum);
  expect_equal("fetch_xor", totals->xors, xors);
  expect_equal("atomicAdd of 64 bits", totals->wide, static_cast<unsigned long long>(adds) << 31);
  expect_equal("atomicAdd of double", totals->sum, 0.5 * adds);
  expect_equal("atomicAdd of float", totals->fsum, 0.25f * threads);
  expect_equal("atomicMin", totals->least, 100 - static_cast<int>(threads) + 1);
  expect_equal("16-bit compare-and-swap", static_cast<int>(totals->narrow), static_cast<int>(3 * threads));
  expect_equal("compare_exchange_weak", totals->swaps, static_cast<int>(2 * threads));

  const int rounds = 7;
  const std::vector<int> host = random_ints(rounds * 128, -100, 100, 13);
  int *in = nullptr, *out = nullptr;
  CUDA_CHECK(cudaMalloc(&in, host.size() * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&out, 128 * sizeof(int)));
  CUDA_CHECK(cudaMemcpy(in, host.data(), host.size() * sizeof(int), cudaMemcpyHostToDevice));
  pipeline<<<1, 128>>>(in, out, rounds);
  std::vector<int> got(128), want(128);
  CUDA_CHECK(cudaMemcpy(got.data(), out, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; ++t)
    for (int round = 0; round < rounds; ++round) want[t] += host[round * 128 + 127 - t];
  expect_equal("memcpy_async and barrier", got, want);

  containers<<<1, 128>>>(out);
  CUDA_CHECK(cudaMemcpy(got.data(), out, 128 * sizeof(int), cudaMemcpyDeviceToHost));
  for (int t = 0; t < 128; ++t) {
    const int lists[] = {0, 1, 21, 321};
    want[t] = 15 * t + 1 + 1000 * lists[t % 4];
  }
  expect_equal("span, array and new", got, want);
  CUDA_CHECK(cudaFree(in));
  CUDA_CHECK(cudaFree(out));
  CUDA_CHECK(cudaFree(totals));
  return verdict("standard_library");
}
