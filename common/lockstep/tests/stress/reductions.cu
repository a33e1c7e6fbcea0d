// reductions: sums of a block in the classic forms, dot products, and what follows them. ptxas unrolls their loops,
// joins loads and aggregates atomics. The counters are compared with those of a card (ncu_equality).
#include <numeric>

#include "stress.h"

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 5;
constexpr int kLength = kBlock * kBlocks - 37;

enum Form { interleaved, strided, sequential };

// One sum for each block.
template <Form kForm, class T>
__global__ void tree(const T* __restrict__ in, int n, T* __restrict__ out) {
  __shared__ T s_data[kBlock];
  const int tid = threadIdx.x, i = blockIdx.x * blockDim.x + tid;
  s_data[tid] = i < n ? in[i] : T(0);
  // Each round reads elements of other threads.
  __syncthreads();
  for (int round = 1; round < kBlock; round *= 2) {
    if (kForm == interleaved) {
      if (tid % (2 * round) == 0) s_data[tid] += s_data[tid + round];
    } else if (kForm == strided) {
      const int place = 2 * round * tid;
      if (place < kBlock) s_data[place] += s_data[place + round];
    } else {
      const int half = kBlock / 2 / round;
      if (tid < half) s_data[tid] += s_data[tid + half];
    }
    // The next round reads this one's sums.
    __syncthreads();
  }
  if (tid == 0) out[blockIdx.x] = s_data[0];
}

// The last warp has no barriers: each store is a volatile one.
__device__ void sum_last_warp(volatile float* s_data, int tid) {
  s_data[tid] += s_data[tid + 32];
  s_data[tid] += s_data[tid + 16];
  s_data[tid] += s_data[tid + 8];
  s_data[tid] += s_data[tid + 4];
  s_data[tid] += s_data[tid + 2];
  s_data[tid] += s_data[tid + 1];
}

// Two loads for each thread and an unrolled last warp.
__global__ void unrolled_last_warp(float* in, int n, float* out) {
  extern __shared__ float s_sums[];
  const unsigned tid = threadIdx.x, i = blockIdx.x * blockDim.x * 2 + tid;
  s_sums[tid] = (i < n ? in[i] : 0) + (i + blockDim.x < n ? in[i + blockDim.x] : 0);
  // Each round reads elements of other threads.
  __syncthreads();
  for (unsigned half = blockDim.x / 2; half > 32; half >>= 1) {
    if (tid < half) s_sums[tid] += s_sums[tid + half];
    // The next round reads this one's sums.
    __syncthreads();
  }
  if (tid < 32) sum_last_warp(s_sums, tid);
  if (tid == 0) out[blockIdx.x] = s_sums[0];
}

// All rounds are unrolled, as the block's size is a template argument; a loop over the grid comes first.
template <unsigned kSize>
__global__ void complete(const int* in, unsigned n, int* out) {
  __shared__ volatile int s_data[kSize];
  const unsigned tid = threadIdx.x;
  int sum = 0;
  for (unsigned i = blockIdx.x * kSize * 2 + tid; i < n; i += kSize * 2 * gridDim.x) {
    sum += in[i];
    if (i + kSize < n) sum += in[i + kSize];
  }
  s_data[tid] = sum;
  // Each round reads elements of other threads.
  __syncthreads();
  if (kSize >= 256) {
    if (tid < 128) s_data[tid] = sum = sum + s_data[tid + 128];
    // The next round reads this one's sums.
    __syncthreads();
  }
  if (kSize >= 128) {
    if (tid < 64) s_data[tid] = sum = sum + s_data[tid + 64];
    // The next round reads this one's sums.
    __syncthreads();
  }
  if (tid < 32) {
    if (kSize >= 64) s_data[tid] = sum = sum + s_data[tid + 32];
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_down_sync(~0u, sum, offset);
  }
  if (tid == 0) out[blockIdx.x] = sum;
}

__device__ float warp_sum(float value) {
  for (int mask = 16; mask > 0; mask /= 2) value += __shfl_xor_sync(~0u, value, mask);
  return value;
}

// Warps by shuffles, blocks by shared memory, the grid by one atomic for each block.
__global__ void shuffled(const float* __restrict__ in, int n, float* sum) {
  __shared__ float s_sums[32];
  const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  float value = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) value += in[i];
  value = warp_sum(value);
  if (lane == 0) s_sums[warp] = value;
  // Warp 0 needs the sums of all warps.
  __syncthreads();
  value = threadIdx.x < blockDim.x / 32 ? s_sums[lane] : 0;
  if (warp == 0) value = warp_sum(value);
  if (threadIdx.x == 0) atomicAdd(sum, value);
}

// The cache of "CUDA by Example".
template <class T>
__global__ void dot(const T* a, const T* b, int n, T* sums) {
  __shared__ T s_cache[kBlock];
  T sum = 0;
  for (int i = threadIdx.x + blockIdx.x * blockDim.x; i < n; i += blockDim.x * gridDim.x) sum += a[i] * b[i];
  s_cache[threadIdx.x] = sum;
  // Each round reads elements of other threads.
  __syncthreads();
  int half = blockDim.x / 2;
  while (half != 0) {
    if (threadIdx.x < half) s_cache[threadIdx.x] += s_cache[threadIdx.x + half];
    // The next round reads this one's sums.
    __syncthreads();
    half /= 2;
  }
  if (threadIdx.x == 0) sums[blockIdx.x] = s_cache[0];
}

// The largest element and its place.
__global__ void largest(const int* __restrict__ in, int n, int* __restrict__ out) {
  __shared__ int s_value[kBlock], s_place[kBlock];
  const int tid = threadIdx.x;
  int value = -1, place = -1;
  for (int i = tid; i < n; i += kBlock)
    if (in[i] > value) value = in[i], place = i;
  s_value[tid] = value, s_place[tid] = place;
  for (int half = kBlock / 2; half > 0; half /= 2) {
    // The last round's values are stored.
    __syncthreads();
    if (tid >= half) continue;
    const int other = s_value[tid + half], at = s_place[tid + half];
    if (other > s_value[tid] || (other == s_value[tid] && at < s_place[tid])) s_value[tid] = other, s_place[tid] = at;
  }
  if (tid == 0) out[0] = s_value[0], out[1] = s_place[0];
}

// One thread adds the rows of the block's sums.
__global__ void rows(const float* __restrict__ in, int width, int height, float* __restrict__ out) {
  const int row = blockIdx.x * blockDim.x + threadIdx.x;
  if (row >= height) return;
  float sum = 0;
#pragma unroll 4
  for (int x = 0; x < width; ++x) sum += in[row * width + x];
  out[row] = sum;
}

template <class T>
std::vector<T> sums_of(const std::vector<T>& in, int length) {
  std::vector<T> sums;
  for (size_t i = 0; i < in.size(); i += length)
    sums.push_back(std::accumulate(in.begin() + i, in.begin() + std::min(in.size(), i + length), T(0)));
  return sums;
}

template <class T>
void run_trees() {
  const auto in = host_array<T>(kLength, 100);
  const T* d_in = to_device(in);
  T* out = zeros<T>(kBlocks);
  tree<interleaved, T><<<kBlocks, kBlock>>>(d_in, kLength, out);
  expect("tree<interleaved>", out, sums_of(in, kBlock));
  tree<strided, T><<<kBlocks, kBlock>>>(d_in, kLength, out);
  expect("tree<strided>", out, sums_of(in, kBlock));
  tree<sequential, T><<<kBlocks, kBlock>>>(d_in, kLength, out);
  expect("tree<sequential>", out, sums_of(in, kBlock));
}

template <class T>
void run_dot() {
  const auto a = host_array<T>(kLength, 10);
  const T* d_a = to_device(a);
  T* sums = zeros<T>(1);
  dot<T><<<1, kBlock>>>(d_a, d_a, kLength, sums);
  expect("dot", sums, {std::inner_product(a.begin(), a.end(), a.begin(), T(0))});
}

void run_unrolled() {
  const auto in = host_array<float>(kLength, 100);
  float *d_in = to_device(in), *out = zeros<float>(3), *sum = zeros<float>(1);
  unrolled_last_warp<<<3, kBlock, kBlock * sizeof(float)>>>(d_in, kLength, out);
  expect("unrolled_last_warp", out, sums_of(in, 2 * kBlock));
  shuffled<<<3, kBlock>>>(d_in, kLength, sum);
  expect("shuffled", sum, sums_of(in, kLength));
  const auto table = host_array<float>(40 * 23, 100);
  float* row_sums = zeros<float>(40);
  rows<<<2, 32>>>(to_device(table), 23, 40, row_sums);
  expect("rows", row_sums, sums_of(table, 23));
}

int main() {
  run_trees<int>();
  run_trees<float>();
  run_trees<double>();
  run_unrolled();
  const auto in = host_array<int>(kLength, 10'000);
  const int* d_in = to_device(in);
  int *out = zeros<int>(2), *places = zeros<int>(2);
  complete<64><<<1, 64>>>(d_in, kLength, out);
  expect("complete<64>", out, sums_of(in, kLength));
  complete<256><<<1, 256>>>(d_in, kLength, out);
  expect("complete<256>", out, sums_of(in, kLength));
  largest<<<1, kBlock>>>(d_in, kLength, places);
  const auto top = std::max_element(in.begin(), in.end());
  expect("largest", places, {*top, static_cast<int>(top - in.begin())});
  run_dot<float>();
  run_dot<long long>();
}
