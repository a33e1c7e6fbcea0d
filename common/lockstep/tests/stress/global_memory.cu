// global_memory: widths, strides, offsets, partial warps, predicates and atomics in global memory. Its counters are
// compared with those of a card (ncu_equality_test). The results do not matter; but every value must be used.
#include <cuda_fp16.h>

#include "stress.h"

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 2;
constexpr int kThreads = kBlocks * kBlock;

__device__ int global_index() { return blockIdx.x * blockDim.x + threadIdx.x; }

template <class T>
__global__ void copied(const T* in, int stride, int offset, T* out) {
  const int i = global_index();
  out[i * stride + offset] = in[i * stride + offset];
}

template <class T>
void run_copied() {
  for (const int stride : {1, 2, 7, 32}) {
    for (const int offset : {0, 3}) {
      T *in = nullptr, *out = nullptr;
      const size_t bytes = (kThreads * stride + offset) * sizeof(T);
      CUDA_CHECK(cudaMalloc(&in, bytes));
      CUDA_CHECK(cudaMalloc(&out, bytes));
      CUDA_CHECK(cudaMemset(in, 1, bytes));
      copied<<<kBlocks, kBlock>>>(in, stride, offset, out);
      finish();
    }
  }
}

struct Particle {
  float x, y, z;
};

__global__ void moved(Particle* particles, float by, int n) {
  const int i = global_index();
  if (i >= n) return;  // no barrier follows
  particles[i].x += by;
  particles[i].z -= by;
}

__global__ void gathered(const int* __restrict__ places, const float* __restrict__ in, float* __restrict__ out) {
  const int i = global_index();
  out[i] = in[places[i]];
}

// Two branches of a condition that both load, and a third that does nothing.
__global__ void chosen(const int* __restrict__ in, int* __restrict__ out) {
  const int i = global_index(), kind = in[i] & 3;
  if (kind == 0)
    out[i] = in[i + 1] * 7;
  else if (kind == 1)
    out[i] = in[i * 2] / 3;
}

// The same words in every round, from the cache. The sum is used, and the compiler does not know the loop's end.
__global__ void read_again(const int* in, int rounds, int* out) {
  const int i = global_index();
  int place = i & 63;
  for (int round = 0; round < rounds; ++round) place = in[place] & 63;
  out[i] = place;
}

__global__ void grid_stride(const int* __restrict__ in, int n, int* __restrict__ out) {
  for (int i = global_index(); i < n; i += gridDim.x * blockDim.x) out[i] = in[i] + 1;
}

__global__ void plane(const float* __restrict__ in, int width, int height, float* __restrict__ out) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

enum Operation {
  kAdd,
  kAddUsed,
  kAddFloat,
  kAddDouble,
  kAddHalf2,
  kAdd64,
  kMax,
  kMin,
  kAnd,
  kExchange,
  kCompare,
  kCompare64
};

// One atomic for each thread, at indices from a table; in every second warp some lanes are inactive.
template <Operation kOperation>
__global__ void update(const int* __restrict__ places, unsigned value, double* cells, unsigned* __restrict__ out) {
  const int i = global_index(), place = places[i] & 255;
  auto* words = reinterpret_cast<unsigned*>(cells);
  auto* longs = reinterpret_cast<unsigned long long*>(cells);
  unsigned old = 0;
  if (i / 32 % 2 == 0 || i % 5 == 0) {
    if (kOperation == kAdd) atomicAdd(&words[place], value);
    if (kOperation == kAddUsed) old = atomicAdd(&words[place], value);
    if (kOperation == kAddFloat) atomicAdd(reinterpret_cast<float*>(&words[place]), static_cast<float>(value));
    if (kOperation == kAddDouble) atomicAdd(&cells[place], static_cast<double>(value));
    if (kOperation == kAddHalf2) atomicAdd(reinterpret_cast<__half2*>(&words[place]), __half2(value, value));
    if (kOperation == kAdd64) old = static_cast<unsigned>(atomicAdd(&longs[place], 1ull * value));
    if (kOperation == kMax) atomicMax(&words[place], value + i);
    if (kOperation == kMin) old = atomicMin(&words[place], value + i);
    if (kOperation == kAnd) atomicAnd(&words[place], value + i);
    if (kOperation == kExchange) old = atomicExch(&words[place], value + i);
    if (kOperation == kCompare) old = atomicCAS(&words[place], 0u, value + i);
    if (kOperation == kCompare64) old = static_cast<unsigned>(atomicCAS(&longs[place], 0ull, 1ull * value + i));
  }
  out[i] = old;
}

template <Operation kOperation>
void run_update() {
  double* cells = nullptr;
  CUDA_CHECK(cudaMalloc(&cells, 256 * sizeof *cells));
  CUDA_CHECK(cudaMemset(cells, 0, 256 * sizeof *cells));
  const int* scattered = device_array<int>(kThreads);
  const int* crowded = device_array<int>(kThreads, 16);
  update<kOperation><<<kBlocks, kBlock>>>(scattered, 3, cells, device_array<unsigned>(kThreads));
  update<kOperation><<<kBlocks, kBlock>>>(crowded, 3, cells, device_array<unsigned>(kThreads));
  finish();
}

int main() {
  run_copied<char>();
  run_copied<short>();
  run_copied<int>();
  run_copied<double>();
  run_copied<float4>();
  Particle* particles = nullptr;
  CUDA_CHECK(cudaMalloc(&particles, kThreads * sizeof *particles));
  CUDA_CHECK(cudaMemset(particles, 0, kThreads * sizeof *particles));
  moved<<<kBlocks, kBlock>>>(particles, 1.5f, 201);
  gathered<<<kBlocks, kBlock>>>(device_array<int>(kThreads, 1000), device_array<float>(1000),
                                device_array<float>(kThreads));
  chosen<<<kBlocks, kBlock>>>(device_array<int>(2 * kThreads), device_array<int>(kThreads));
  read_again<<<kBlocks, kBlock>>>(device_array<int>(64), 6, device_array<int>(kThreads));
  grid_stride<<<kBlocks, kBlock>>>(device_array<int>(1000), 1000, device_array<int>(1000));
  plane<<<dim3(3, 2), dim3(16, 8)>>>(device_array<float>(40 * 15), 40, 15, device_array<float>(40 * 15));
  finish();
  run_update<kAdd>();
  run_update<kAddUsed>();
  run_update<kAddFloat>();
  run_update<kAddDouble>();
  run_update<kAddHalf2>();
  run_update<kAdd64>();
  run_update<kMax>();
  run_update<kMin>();
  run_update<kAnd>();
  run_update<kExchange>();
  run_update<kCompare>();
  run_update<kCompare64>();
}
