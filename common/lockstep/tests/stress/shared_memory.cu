// shared_memory: widths, strides, partial warps, predicates and atomics in shared memory. Its counters are compared
// with those of a card (ncu_equality_test). The results do not matter; but every value must be used.
#include "stress.h"

constexpr int kBlock = 128;  // threads

template <class T>
__device__ T made_from(int i) {
  return static_cast<T>(i);
}
template <>
__device__ float4 made_from<float4>(int i) {
  return make_float4(i, i + 1, i + 2, i + 3);
}

// Each thread writes its own element and reads a neighbour's; the elements of two threads are `stride` apart.
template <class T>
__global__ void strided(int stride, T* out) {
  extern __shared__ float4 s_any[];
  T* s_data = reinterpret_cast<T*>(s_any);
  const int tid = threadIdx.x;
  s_data[tid * stride] = made_from<T>(tid);
  // Each thread reads a value that another thread wrote.
  __syncthreads();
  out[blockIdx.x * blockDim.x + tid] = s_data[(tid ^ 5) * stride];
}

template <class T>
void run_strided() {
  for (const int stride : {1, 2, 3, 8, 32, 33}) {
    if (stride * kBlock * sizeof(T) > 48 << 10) continue;
    T* out = device_array<T>(2 * kBlock);
    strided<T><<<2, kBlock, stride * kBlock * sizeof(T)>>>(stride, out);
    finish();
  }
}

template <>
void run_strided<float4>() {
  float4* out = nullptr;
  CUDA_CHECK(cudaMalloc(&out, 2 * kBlock * sizeof *out));
  for (const int stride : {1, 2, 3, 8}) strided<float4><<<2, kBlock, stride * kBlock * sizeof *out>>>(stride, out);
  finish();
}

// Every third thread, a warp that is not full, and addresses from a table.
__global__ void gathered(const int* __restrict__ places, int n, int* __restrict__ out) {
  __shared__ int s_data[512];
  const int tid = threadIdx.x;
  for (int i = tid; i < 512; i += blockDim.x) s_data[i] = i * 3;
  // Any thread may read any word of s_data.
  __syncthreads();
  int sum = 0;
  if (tid % 3 == 0) sum = s_data[places[tid] % 512];
  if (tid < n) sum += s_data[places[tid + n] % 64 * 8];
  out[tid] = sum;
}

template <int kWidth>
__global__ void transposed(const float* __restrict__ in, float* __restrict__ out) {
  __shared__ float s_tile[32][kWidth];
  for (int y = threadIdx.y; y < 32; y += 8) s_tile[y][threadIdx.x] = in[y * 32 + threadIdx.x];
  // Threads read columns; other warps wrote them as rows.
  __syncthreads();
  for (int y = threadIdx.y; y < 32; y += 8) out[y * 32 + threadIdx.x] = s_tile[threadIdx.x][y];
}

__global__ void block_sum(const int* __restrict__ in, int* __restrict__ out) {
  __shared__ int s_sum[256];
  const int tid = threadIdx.x;
  s_sum[tid] = in[blockIdx.x * 256 + tid];
  for (int half = 128; half > 0; half /= 2) {
    // Other threads wrote the upper half in the step before, or at the start.
    __syncthreads();
    if (tid < half) s_sum[tid] += s_sum[tid + half];
  }
  if (tid == 0) out[blockIdx.x] = s_sum[0];
}

__global__ void count_bytes(const unsigned char* __restrict__ in, int n, unsigned* __restrict__ bins) {
  __shared__ unsigned s_bins[256];
  s_bins[threadIdx.x] = 0;
  // Counting may begin only after all bins are zero.
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) atomicAdd(&s_bins[in[i]], 1u);
  // All threads have counted.
  __syncthreads();
  bins[threadIdx.x] = s_bins[threadIdx.x];
}

enum Operation {
  kAddUsed,
  kAddUnused,
  kMax,
  kExchange,
  kCompare,
  kOr,
  kAdd64,
  kExchange64,
  kCompare64,
  kAddFloat,
  kAddDouble
};

// One atomic for each thread of one warp (so that no order between warps matters), at indices from a table.
template <Operation kOperation>
__global__ void update(const int* __restrict__ places, unsigned value, unsigned* __restrict__ out) {
  __shared__ unsigned s_words[256];
  __shared__ unsigned long long s_longs[256];
  __shared__ float s_floats[256];
  __shared__ double s_doubles[256];
  const int tid = threadIdx.x, place = places[tid] & 255;
  for (int i = tid; i < 256; i += 32) s_words[i] = 0, s_longs[i] = 0, s_floats[i] = 0, s_doubles[i] = 0;
  // Updates begin after all words are zero.
  __syncthreads();
  unsigned old = 0;
  if (tid != 7) {
    if (kOperation == kAddUsed) old = atomicAdd(&s_words[place], value);
    if (kOperation == kAddUnused) atomicAdd(&s_words[place], value);
    if (kOperation == kMax) old = atomicMax(&s_words[place], value + tid);
    if (kOperation == kExchange) old = atomicExch(&s_words[place], value + tid);
    if (kOperation == kCompare) old = atomicCAS(&s_words[place], 0u, value + tid);
    if (kOperation == kOr) atomicOr(&s_words[place], value << tid % 8);
    if (kOperation == kAdd64) atomicAdd(&s_longs[place], static_cast<unsigned long long>(value));
    if (kOperation == kExchange64) old = static_cast<unsigned>(atomicExch(&s_longs[place], value + 1ull * tid));
    if (kOperation == kCompare64) old = static_cast<unsigned>(atomicCAS(&s_longs[place], 0ull, value + 1ull * tid));
    if (kOperation == kAddFloat) atomicAdd(&s_floats[place], static_cast<float>(value + tid));
    if (kOperation == kAddDouble) atomicAdd(&s_doubles[place], static_cast<double>(value + tid));
  }
  // Other threads read the sums.
  __syncthreads();
  out[tid] = old + s_words[tid] + static_cast<unsigned>(s_longs[tid]) + static_cast<unsigned>(s_floats[tid]) +
             static_cast<unsigned>(s_doubles[tid]);
}

template <Operation kOperation>
void run_update() {
  const int* all_different = device_array<int>(32);
  const int* crowded = device_array<int>(32, 8);
  unsigned* out = device_array<unsigned>(256);
  update<kOperation><<<1, 32>>>(all_different, 3, out);
  update<kOperation><<<1, 32>>>(crowded, 3, out);
  finish();
}

int main() {
  run_strided<char>();
  run_strided<short>();
  run_strided<int>();
  run_strided<double>();
  run_strided<float4>();
  int* words = device_array<int>(2048);
  gathered<<<1, 100>>>(words, 45, device_array<int>(100));
  const float* tile = device_array<float>(1024, 1000);
  transposed<32><<<1, dim3(32, 8)>>>(tile, device_array<float>(1024));
  transposed<33><<<1, dim3(32, 8)>>>(tile, device_array<float>(1024));
  block_sum<<<3, 256>>>(words, device_array<int>(3));
  count_bytes<<<1, 256>>>(device_array<unsigned char>(5000), 5000, device_array<unsigned>(256));
  count_bytes<<<1, 256>>>(device_array<unsigned char>(5000, 4), 5000, device_array<unsigned>(256));
  finish();
  run_update<kAddUsed>();
  run_update<kAddUnused>();
  run_update<kMax>();
  run_update<kExchange>();
  run_update<kCompare>();
  run_update<kOr>();
  run_update<kAdd64>();
  run_update<kExchange64>();
  run_update<kCompare64>();
  run_update<kAddFloat>();
  run_update<kAddDouble>();
}
