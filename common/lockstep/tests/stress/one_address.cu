// one_address: atomics that many threads of a warp make on one address, with the result used or not, and histograms.
// ptxas and the hardware aggregate some of them. The counters are compared with those of a card (ncu_equality).
#include <algorithm>
#include <iterator>
#include <numeric>

#include "stress.h"

constexpr int kBlock = 96;  // threads
constexpr int kBlocks = 3;
constexpr int kLength = kBlock * kBlocks - 21;

template <class T>
__global__ void sum_of(const T* __restrict__ in, int n, T* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, in[i]);
}

// Every thread adds the same constant.
__global__ void counted(const int* __restrict__ in, int n, int limit, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] < limit) atomicAdd(count, 1);
}

__global__ void counted_by_loop(const int* in, int n, unsigned* count) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    if (in[i] & 1) atomicInc(count, ~0u);
}

enum Operation { add, maximum, minimum, either, both, differ, less };

template <Operation kOperation, class T>
__global__ void on_one(const T* __restrict__ in, int n, T* out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const T value = in[i];
  if constexpr (kOperation == add) atomicAdd(out, value);
  if constexpr (kOperation == maximum) atomicMax(out, value);
  if constexpr (kOperation == minimum) atomicMin(out, value);
  if constexpr (kOperation == either) atomicOr(out, value);
  if constexpr (kOperation == both) atomicAnd(out, value);
  if constexpr (kOperation == differ) atomicXor(out, value);
  if constexpr (kOperation == less) atomicSub(out, value);
}

// The old value is used, so every lane needs its own.
__global__ void exchanged(int* word, int* old) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  old[i] = atomicExch(word, i);
}

__global__ void exchanged_unused(const int* in, int n, int* word) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicExch(word, in[i] * 0 + 7);
}

__global__ void swapped(int* word, int* winners) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (atomicCAS(word, 0, i + 1) == 0) atomicAdd(winners, 1);
}

// The classic addition of doubles by compare and swap, one address for each warp's lane.
__global__ void add_by_swap(double* sums) {
  auto* word = reinterpret_cast<unsigned long long*>(sums + threadIdx.x);
  unsigned long long old = *word, assumed;
  do {
    assumed = old;
    old = atomicCAS(word, assumed, __double_as_longlong(2.0 + __longlong_as_double(assumed)));
  } while (assumed != old);
}

// Compaction: the result of the addition is a place in the output.
__global__ void compacted(const int* __restrict__ in, int n, int* __restrict__ out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] % 3 == 0) out[atomicAdd(count, 1)] = in[i];
}

// Each thread takes a part of the output. The lanes of a whole warp add their lengths up first.
__global__ void parts(const int* __restrict__ lengths, int n, int* first) {
  __shared__ int s_length;
  if (threadIdx.x == 0) s_length = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) first[i] = atomicAdd(&s_length, lengths[i]);
}

// The same with a counter of the block.
__global__ void compacted_by_block(const int* __restrict__ in, int n, int* __restrict__ out, int* count) {
  __shared__ int s_count, s_first;
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (threadIdx.x == 0) s_count = 0;
  // The counter is zero.
  __syncthreads();
  int place = -1;
  if (i < n && in[i] % 3 == 0) place = atomicAdd(&s_count, 1);
  // All threads have counted.
  __syncthreads();
  if (threadIdx.x == 0) s_first = atomicAdd(count, s_count);
  // The block's first place is known.
  __syncthreads();
  if (place >= 0) out[s_first + place] = in[i];
}

// The same by the warp's vote: one atomic for each warp.
__global__ void compacted_by_warp(const int* __restrict__ in, int n, int* __restrict__ out, int* count) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, lane = threadIdx.x % 32;
  const bool keep = i < n && in[i] % 3 == 0;
  const unsigned votes = __ballot_sync(~0u, keep);
  int first = 0;
  if (lane == 0) first = atomicAdd(count, __popc(votes));
  first = __shfl_sync(~0u, first, 0);
  if (keep) out[first + __popc(votes & ((1u << lane) - 1))] = in[i];
}

__global__ void global_histogram(const unsigned char* in, int n, unsigned* bins) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&bins[in[i]], 1);
}

__global__ void shared_histogram(const unsigned char* in, int n, unsigned* bins) {
  __shared__ unsigned s_bins[64];
  if (threadIdx.x < 64) s_bins[threadIdx.x] = 0;
  // The bins are zero.
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) atomicAdd(&s_bins[in[i]], 1);
  // All bytes are counted.
  __syncthreads();
  if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], s_bins[threadIdx.x]);
}

// Each thread has its own bins of bytes in shared memory.
__global__ void private_histogram(const unsigned char* __restrict__ in, int n, unsigned* bins) {
  __shared__ unsigned char s_bins[16][kBlock];
  for (int bin = 0; bin < 16; ++bin) s_bins[bin][threadIdx.x] = 0;
  for (int i = threadIdx.x; i < n; i += kBlock) ++s_bins[in[i] & 15][threadIdx.x];
  // The first threads add the bins of all.
  __syncthreads();
  if (threadIdx.x >= 16) return;
  unsigned sum = 0;
  for (int k = 0; k < kBlock; ++k) sum += s_bins[threadIdx.x][k];
  bins[threadIdx.x] = sum;
}

// A counter in shared memory that every thread adds its own value to.
template <class T>
__global__ void shared_sum(const T* __restrict__ in, int n, T* out) {
  __shared__ T s_sum;
  if (threadIdx.x == 0) s_sum = 0;
  // The sum is zero.
  __syncthreads();
  if (threadIdx.x < n) atomicAdd(&s_sum, in[threadIdx.x]);
  // All values are added.
  __syncthreads();
  if (threadIdx.x == 0) *out = s_sum;
}

__global__ void shared_extremes(const int* __restrict__ in, int n, int* out) {
  __shared__ int s_low, s_high;
  if (threadIdx.x == 0) s_low = 1 << 30, s_high = -1;
  // The extremes have their first values.
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicMin(&s_low, in[i]), atomicMax(&s_high, in[i]);
  // All values are compared.
  __syncthreads();
  if (threadIdx.x == 0) out[0] = s_low, out[1] = s_high;
}

template <class T>
void run_sum() {
  const auto in = host_array<T>(kLength, 100);
  T* sum = zeros<T>(1);
  const T total = std::accumulate(in.begin(), in.end(), T(0));
  sum_of<T><<<kBlocks, kBlock>>>(to_device(in), kLength, sum);
  expect("sum_of", sum, {total});
}

template <class T>
void run_shared_sum() {
  const auto in = host_array<T>(kBlock - 5, 100);
  T* sum = zeros<T>(1);
  shared_sum<T><<<1, kBlock>>>(to_device(in), kBlock - 5, sum);
  expect("shared_sum", sum, {std::accumulate(in.begin(), in.end(), T(0))});
}

template <Operation kOperation, class T, class F>
void run_on_one(T start, F apply) {
  const auto in = host_array<T>(kLength, 1 << 20);
  T* out = to_device(std::vector<T>{start});
  on_one<kOperation, T><<<kBlocks, kBlock>>>(to_device(in), kLength, out);
  expect("on_one", out, {std::accumulate(in.begin(), in.end(), start, apply)});
}

// One warp: the places that several warps get depend on their order, and the sectors of the stores with them.
void run_compactions() {
  constexpr int kFew = 29;
  const auto in = host_array<int>(kFew, 1000);
  std::vector<int> kept;
  std::copy_if(in.begin(), in.end(), std::back_inserter(kept), [](int value) { return value % 3 == 0; });
  const std::vector<int> count{static_cast<int>(kept.size())};
  for (const auto kernel : {compacted, compacted_by_block, compacted_by_warp}) {
    int *out = zeros<int>(kFew), *d_count = zeros<int>(1);
    kernel<<<1, 32>>>(to_device(in), kFew, out, d_count);
    expect("compacted", d_count, count);
  }
}

void run_histograms() {
  constexpr int kBytes = 1500;
  const auto in = host_array<unsigned char>(kBytes, 64);
  const unsigned char* d_in = to_device(in);
  std::vector<unsigned> wanted(64), few(16);
  for (const unsigned char byte : in) ++wanted[byte], ++few[byte & 15];
  unsigned *bins = zeros<unsigned>(64), *same = zeros<unsigned>(64), *own = zeros<unsigned>(16);
  global_histogram<<<2, kBlock>>>(d_in, kBytes, bins);
  expect("global_histogram", bins, wanted);
  shared_histogram<<<2, kBlock>>>(d_in, kBytes, same);
  expect("shared_histogram", same, wanted);
  private_histogram<<<1, kBlock>>>(d_in, kBytes, own);
  expect("private_histogram", own, few);
}

int main() {
  run_sum<int>();
  run_sum<unsigned>();
  run_sum<float>();
  run_sum<double>();
  run_sum<unsigned long long>();
  const auto in = host_array<int>(kLength, 1000);
  const int* d_in = to_device(in);
  int* count = zeros<int>(1);
  counted<<<kBlocks, kBlock>>>(d_in, kLength, 300, count);
  expect("counted", count, {static_cast<int>(std::count_if(in.begin(), in.end(), [](int v) { return v < 300; }))});
  unsigned* odd = zeros<unsigned>(1);
  counted_by_loop<<<1, kBlock>>>(d_in, kLength, odd);
  expect("counted_by_loop", odd,
         {static_cast<unsigned>(std::count_if(in.begin(), in.end(), [](int v) { return v & 1; }))});
  run_on_one<maximum>(0, [](int a, int b) { return std::max(a, b); });
  run_on_one<minimum>(1 << 30, [](int a, int b) { return std::min(a, b); });
  run_on_one<either>(0u, [](unsigned a, unsigned b) { return a | b; });
  run_on_one<both>(~0u, [](unsigned a, unsigned b) { return a & b; });
  run_on_one<differ>(0, [](int a, int b) { return a ^ b; });
  run_on_one<less>(0, [](int a, int b) { return a - b; });
  run_on_one<maximum>(0ull, [](unsigned long long a, unsigned long long b) { return std::max(a, b); });
  exchanged<<<1, kBlock>>>(zeros<int>(1), zeros<int>(kBlock));
  int *word = zeros<int>(1), *lock = zeros<int>(1), *winners = zeros<int>(1);
  exchanged_unused<<<kBlocks, kBlock>>>(d_in, kLength, word);
  expect("exchanged_unused", word, {7});
  swapped<<<1, kBlock>>>(lock, winners);
  expect("swapped", winners, {1});
  double* sums = zeros<double>(kBlock);
  add_by_swap<<<1, kBlock>>>(sums);
  expect("add_by_swap", sums, std::vector<double>(kBlock, 2.0));
  run_compactions();
  run_histograms();
  run_shared_sum<int>();
  run_shared_sum<float>();
  run_shared_sum<unsigned long long>();
  parts<<<kBlocks, kBlock>>>(d_in, kLength, zeros<int>(kLength));
  int* extremes = zeros<int>(2);
  shared_extremes<<<1, kBlock>>>(d_in, kLength, extremes);
  expect("shared_extremes", extremes,
         {*std::min_element(in.begin(), in.end()), *std::max_element(in.begin(), in.end())});
}
