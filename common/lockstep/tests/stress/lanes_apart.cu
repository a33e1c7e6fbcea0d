// lanes_apart: lanes of a warp that a card may not bring together, so that it executes what follows once for each group
// of them: behind collectives of tiles, and in a function behind a loop that yields. Beside them, lanes that are
// together, also by WARPSYNC.ALL; and a load that ptxas makes on one side of a branch. The counters are compared with
// those of a card (ncu_equality).
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

#include "stress.h"

namespace cg = cooperative_groups;

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 8;
constexpr int kThreads = kBlock * kBlocks;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <int lanes>
__device__ int smallest(int value) {
  return cg::reduce(cg::tiled_partition<lanes>(cg::this_thread_block()), value, cg::less<int>());
}

// ---- tiles ----

template <int lanes>
__global__ void store_behind(const int* in, int* out) {
  out[number()] = smallest<lanes>(in[number()]);
}

template <int lanes>
__global__ void load_behind_a_barrier(const int* in, int* out) {
  __shared__ int s_tile[kBlock];
  s_tile[threadIdx.x] = smallest<lanes>(in[number()]);
  __syncthreads();
  out[number()] = s_tile[(threadIdx.x * 5 + 1) % kBlock];
}

template <int lanes>
__global__ void vote_before(const int* in, int* out) {
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  out[number()] = tile.any(in[number()] > 900) + tile.all(in[number()] > 100);
}

// Nobody uses what the lanes exchange, and ptxas leaves only the waits.
template <int lanes>
__global__ void only_wait(const int* in, int* out) {
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  tile.shfl(in[number()], 0);
  tile.any(in[number()] > 900);
  out[number()] = threadIdx.x;
}

template <int lanes>
__global__ void wait_before_a_barrier(const int* in, int* out) {
  __shared__ int s_tile[kBlock];
  const auto tile = cg::tiled_partition<lanes>(cg::this_thread_block());
  s_tile[threadIdx.x] = in[number()];
  tile.shfl(in[number()], 0);
  tile.any(in[number()] > 900);
  __syncthreads();
  out[number()] = s_tile[(threadIdx.x * 5 + 1) % kBlock];
}

__global__ void shuffle_behind(const int* in, int* out) {
  int value = smallest<8>(in[number()]);
  for (int step = 16; step > 0; step /= 2) value += __shfl_down_sync(~0u, value, step);
  out[number()] = value;
}

__global__ void together_behind(const int* in, int* out) {
  const int value = smallest<16>(in[number()]);
  __syncwarp();
  out[number()] = value;
}

__device__ __noinline__ int loaded(const int* in, int i) { return in[i % kThreads] + in[(i + 32) % kThreads]; }

__global__ void call_behind(const int* in, int* out) {
  out[number()] = loaded(in, smallest<16>(in[number()]) + threadIdx.x);
}

__global__ void named_half(const int* in, int* out) {
  const unsigned half = threadIdx.x & 16 ? 0xffff0000u : 0x0000ffffu;
  out[number()] = __shfl_xor_sync(half, in[number()], 4);
}

// ---- a function behind a loop that yields ----

__device__ int g_largest;

__global__ void call_behind_a_loop(const int* in, int* out) {
  const int turns = in[number()] % 12;
  for (int turn = 0; turn < turns; ++turn) atomicMax(&g_largest, turns ^ turn);
  out[number()] = loaded(in, turns + threadIdx.x);
}

// ---- a branch without BSSY, and WARPSYNC.ALL behind it ----

// As layer norms do it: some warps add what their lanes have, and a few lanes divide.
template <int lanes>
__global__ void divided_by_a_few(const int* in, float* out, int columns) {
  __shared__ float s_mean[kBlock], s_scale[kBlock];
  float sum = static_cast<float>(in[number()]);
  if (threadIdx.x < kBlock / 2)
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(0xffffffff, sum, offset);
  if (threadIdx.x % 32 < lanes) {
    const float mean = sum / static_cast<float>(columns);
    s_mean[threadIdx.x] = mean;
    s_scale[threadIdx.x] = rsqrtf(mean + 1);
  }
  __syncthreads();
  const int by = threadIdx.x / 32 * 32 + threadIdx.x % lanes;
  out[number()] = (static_cast<float>(in[(number() * 5) % kThreads]) - s_mean[by]) * s_scale[by];
}

// ---- a load that only one side of a branch uses ----

__global__ void used_if(const int* in, int* out, int n) {
  const int value = in[(number() * 3) % kThreads];
  int sum = threadIdx.x;
  if (n > 0)
    for (int i = 0; i < n; ++i) sum += value ^ in[(i * 32 + threadIdx.x) % kThreads];
  out[number()] = sum;
}

int main() {
  const int* const in = device_array<int>(kThreads, 1000);
  int* const out = zeros<int>(kThreads);
  store_behind<2><<<kBlocks, kBlock>>>(in, out);
  store_behind<4><<<kBlocks, kBlock>>>(in, out);
  store_behind<16><<<kBlocks, kBlock>>>(in, out);
  store_behind<32><<<kBlocks, kBlock>>>(in, out);
  load_behind_a_barrier<16><<<kBlocks, kBlock>>>(in, out);
  load_behind_a_barrier<32><<<kBlocks, kBlock>>>(in, out);
  vote_before<4><<<kBlocks, kBlock>>>(in, out);
  vote_before<16><<<kBlocks, kBlock>>>(in, out);
  vote_before<32><<<kBlocks, kBlock>>>(in, out);
  only_wait<4><<<kBlocks, kBlock>>>(in, out);
  only_wait<16><<<kBlocks, kBlock>>>(in, out);
  wait_before_a_barrier<16><<<kBlocks, kBlock>>>(in, out);
  shuffle_behind<<<kBlocks, kBlock>>>(in, out);
  together_behind<<<kBlocks, kBlock>>>(in, out);
  call_behind<<<kBlocks, kBlock>>>(in, out);
  named_half<<<kBlocks, kBlock>>>(in, out);
  call_behind_a_loop<<<kBlocks, kBlock>>>(in, out);
  used_if<<<kBlocks, kBlock>>>(in, out, 3);
  used_if<<<kBlocks, kBlock>>>(in, out, 0);
  float* const quotients = zeros<float>(kThreads);
  divided_by_a_few<1><<<kBlocks, kBlock>>>(in, quotients, kThreads - 7);
  divided_by_a_few<5><<<kBlocks, kBlock>>>(in, quotients, kThreads - 7);
  finish();
}
