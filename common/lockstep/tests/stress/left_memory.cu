// left_memory: kernels that load shared memory before the block has written it, and kernels that write all of it first,
// each in another way. On a card, the first find numbers that an earlier kernel or block left there. The counters are
// compared with those of a card (ncu_equality).
#include <cuda_pipeline.h>

#include "stress.h"

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 40;
constexpr int kThreads = kBlock * kBlocks;
constexpr int kLength = 1 << 16;  // of the array that the kernels load by what they find

union Words {
  int whole[kBlock];
  short half[2 * kBlock];
};

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }
__device__ int scattered(int value) { return static_cast<int>(static_cast<unsigned>(value) * 2654435761u >> 16); }
__device__ bool is_odd() { return threadIdx.x % 2 == 1; }

// Fills shared and local memory, so that the kernels below find numbers there.
__global__ void leave_numbers(int* out) {
  __shared__ int s_all[4 * kBlock];
  int l_all[16];
  for (int i = 0; i < 4; ++i) s_all[i * kBlock + threadIdx.x] = number() * 4 + i;
  for (int i = 0; i < 16; ++i) l_all[(i * 5 + threadIdx.x) % 16] = number() + i;
  __syncthreads();
  out[number()] = s_all[threadIdx.x * 3 % (4 * kBlock)] + l_all[out[number()] & 15];
}

// ---- shared memory of which a part is not written ----

__global__ void odd_words(const int* data, int* out) {
  __shared__ int s_part[kBlock];
  if (is_odd()) s_part[threadIdx.x] = number();
  __syncthreads();
  out[number()] = data[scattered(s_part[threadIdx.x * 5 % kBlock])];
}

__global__ void low_halves(const int* data, int* out) {
  __shared__ Words s_part;
  s_part.half[2 * threadIdx.x] = static_cast<short>(threadIdx.x);
  __syncthreads();
  out[number()] = data[scattered(s_part.whole[threadIdx.x])];
}

__global__ void first_block_writes(const int* data, int* out) {
  __shared__ int s_part[kBlock];
  if (blockIdx.x == 0) s_part[threadIdx.x] = number();
  __syncthreads();
  out[number()] = data[scattered(s_part[threadIdx.x])];
}

__global__ void behind_the_end(const int* data, int* out) {
  extern __shared__ int s_room[];
  s_room[threadIdx.x] = number();
  __syncthreads();
  out[number()] = data[scattered(s_room[threadIdx.x + kBlock / 2])];
}

__global__ void counts_from_nothing(const int* index, const int* data, int* out) {
  __shared__ int s_counts[kBlock];
  atomicAdd(&s_counts[index[number()] % kBlock], 1);
  __syncthreads();
  out[number()] = data[scattered(s_counts[threadIdx.x])];
}

__global__ void exchanged_first(const int* data, int* out) {
  __shared__ int s_part[kBlock];
  out[number()] = data[scattered(atomicExch(&s_part[threadIdx.x], number()))];
}

// ---- all that is loaded is written ----

__global__ void odd_and_even_words(const int* data, int* out) {
  __shared__ int s_all[kBlock];
  if (is_odd()) s_all[threadIdx.x] = number();
  if (!is_odd()) s_all[threadIdx.x] = -number();
  __syncthreads();
  out[number()] = data[scattered(s_all[threadIdx.x * 5 % kBlock])];
}

__global__ void only_odd_words_are_used(const int* data, int* out) {
  __shared__ int s_part[kBlock];
  if (is_odd()) s_part[threadIdx.x] = number();
  __syncthreads();
  out[number()] = data[scattered(s_part[threadIdx.x | 1])];
}

__global__ void both_halves(const int* data, int* out) {
  __shared__ Words s_all;
  s_all.half[2 * threadIdx.x] = static_cast<short>(threadIdx.x);
  s_all.half[2 * threadIdx.x + 1] = static_cast<short>(blockIdx.x);
  __syncthreads();
  out[number()] = data[scattered(s_all.whole[threadIdx.x])];
}

__global__ void padded_rows(const int* data, int* out) {
  __shared__ int s_rows[kBlock / 16][17];
  s_rows[threadIdx.x / 16][threadIdx.x % 16] = number();
  __syncthreads();
  out[number()] = data[scattered(s_rows[threadIdx.x % (kBlock / 16)][threadIdx.x / (kBlock / 16)])];
}

__global__ void copied(const int* index, const int* data, int* out) {
  __shared__ int s_all[kBlock];
  __pipeline_memcpy_async(&s_all[threadIdx.x], &index[number()], sizeof(int));
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[number()] = data[scattered(s_all[threadIdx.x * 5 % kBlock])];
}

__device__ __noinline__ void fill(int* to, int value) { to[threadIdx.x] = value; }

__global__ void filled_by_a_function(const int* data, int* out) {
  __shared__ int s_all[kBlock];
  fill(s_all, number());
  __syncthreads();
  out[number()] = data[scattered(s_all[threadIdx.x * 5 % kBlock])];
}

__global__ void counts_from_zero(const int* index, const int* data, int* out) {
  __shared__ int s_counts[kBlock];
  s_counts[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(&s_counts[index[number()] % kBlock], 1);
  __syncthreads();
  out[number()] = data[scattered(s_counts[threadIdx.x])];
}

// What is left there is stored, and decides nothing.
__global__ void only_stored(int* out) {
  __shared__ int s_part[kBlock];
  if (is_odd()) s_part[threadIdx.x] = number();
  __syncthreads();
  out[number()] = s_part[threadIdx.x * 5 % kBlock];
}

int main() {
  const int* const data = device_array<int>(kLength);
  const int* const index = device_array<int>(kThreads, kThreads);
  int* const out = zeros<int>(kThreads);
  const auto leave = [&] { leave_numbers<<<8 * kBlocks, kBlock>>>(zeros<int>(8 * kThreads)); };
  leave();
  odd_words<<<kBlocks, kBlock>>>(data, out);
  leave();
  low_halves<<<kBlocks, kBlock>>>(data, out);
  leave();
  first_block_writes<<<kBlocks, kBlock>>>(data, out);
  leave();
  behind_the_end<<<kBlocks, kBlock, 2 * kBlock * sizeof(int)>>>(data, out);
  leave();
  counts_from_nothing<<<kBlocks, kBlock>>>(index, data, out);
  leave();
  exchanged_first<<<kBlocks, kBlock>>>(data, out);
  leave();
  odd_and_even_words<<<kBlocks, kBlock>>>(data, out);
  only_odd_words_are_used<<<kBlocks, kBlock>>>(data, out);
  both_halves<<<kBlocks, kBlock>>>(data, out);
  padded_rows<<<kBlocks, kBlock>>>(data, out);
  copied<<<kBlocks, kBlock>>>(index, data, out);
  filled_by_a_function<<<kBlocks, kBlock>>>(data, out);
  counts_from_zero<<<kBlocks, kBlock>>>(index, data, out);
  only_stored<<<kBlocks, kBlock>>>(out);
  finish();
}
