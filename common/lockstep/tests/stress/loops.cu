// loops: loops that ptxas unrolls or does not, loads that it hoists or drops, stores under predicates, nested
// branches. The counters are compared with those of a card (ncu_equality). Most results do not matter.
#include "stress.h"

constexpr int kBlock = 96;  // threads
constexpr int kLength = 2 * kBlock - 31;

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

// kUnroll = 0 leaves the choice to the compiler.
template <int kUnroll>
__global__ void unrolled(const int* __restrict__ in, int n, int* __restrict__ out) {
  int sum = 0;
  if constexpr (kUnroll == 0) {
    for (int k = 0; k < n; ++k) sum += in[k * blockDim.x + threadIdx.x];
  } else {
#pragma unroll kUnroll
    for (int k = 0; k < n; ++k) sum += in[k * blockDim.x + threadIdx.x];
  }
  out[threadIdx.x] = sum;
}

// Each lane has its own number of turns.
__global__ void triangle(const int* in, int n, int* out) {
  const int i = element();
  if (i >= n) return;
  int sum = 0;
  for (int k = 0; k <= i; ++k) sum += in[k];
  out[i] = sum;
}

__global__ void with_break(const int* __restrict__ in, int n, int key, int* __restrict__ out) {
  int place = -1;
  for (int k = 0; k < n; ++k)
    if (in[(k + threadIdx.x) % n] == key) {
      place = k;
      break;
    }
  out[threadIdx.x] = place;
}

__global__ void with_continue(const int* in, int n, int* out) {
  int sum = 0;
  for (int k = threadIdx.x; k < n; k += 7) {
    if (in[k] % 3 == 0) continue;
    sum += in[k + 1];
    if (in[k] % 5 == 0) continue;
    sum -= in[k + 2];
  }
  out[threadIdx.x] = sum;
}

__global__ void early_return(const int* in, int n, int* out) {
  const int i = element();
  if (i >= n || in[i] % 4 == 0) return;
  int value = in[i + 1];
  if (value % 2 == 0) {
    out[i] = value;
    return;
  }
  while (value > 10) value -= in[i + 2] % 5 + 1;
  out[i] = value;
}

// Each binary search ends in another round.
__global__ void searched(const int* __restrict__ in, int n, const int* __restrict__ keys, int* __restrict__ out) {
  int low = 0, high = n;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (in[middle] < keys[threadIdx.x])
      low = middle + 1;
    else
      high = middle;
  }
  out[threadIdx.x] = low;
}

// The load does not depend on the loop, but without restrict the store may change it.
__global__ void hoistable(const int* factor, const int* in, int n, int* out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * factor[0];
}
__global__ void hoistable_restrict(const int* __restrict__ factor, const int* __restrict__ in, int n,
                                   int* __restrict__ out) {
  for (int i = threadIdx.x; i < n; i += blockDim.x) out[i] = in[i] * factor[0];
}

// The same element is loaded three times, with a store between two of the loads.
__global__ void redundant(int* data, int n, int* out) {
  const int i = element();
  if (i >= n) return;
  const int sum = data[i] + data[i];
  out[i] = sum;
  out[i] = sum + data[i];
}

// The sum stays in global memory, as beginners write it.
__global__ void sum_in_memory(const float* in, int n, float* out) {
  out[threadIdx.x] = 0;
  for (int k = 0; k < n; ++k) out[threadIdx.x] += in[k];
}

__global__ void sum_in_shared(const float* __restrict__ in, int n, float* __restrict__ out) {
  __shared__ float s_sum[kBlock];
  s_sum[threadIdx.x] = 0;
  for (int k = 0; k < n; ++k) s_sum[threadIdx.x] += in[k * 3];
  out[threadIdx.x] = s_sum[threadIdx.x];
}

__global__ void predicated(const int* __restrict__ in, int n, int* __restrict__ out) {
  const int i = element();
  if (i >= n) return;
  const int value = in[i];
  if (value % 3 == 0) out[i] = value;
  if (value % 3 == 1) out[i] = -value;
  if (value > 50) out[i + n] = value;
}

// Both sides store to the same place.
__global__ void both_sides(const int* in, int n, int* out) {
  const int i = element();
  if (i >= n) return;
  if (in[i] > 50)
    out[i] = in[i] * 2;
  else
    out[i] = in[i + 1] + 1;
}

__global__ void chosen(const int* __restrict__ in, int n, int* __restrict__ out) {
  const int i = element();
  if (i >= n) return;
  int value = in[i];
  switch (value % 6) {
    case 0: value += in[i + 1]; break;
    case 1: value *= 3; break;
    case 2: value -= in[i + 2]; break;
    case 3: out[n + i] = value; break;
    case 4: value = in[value % n]; break;
    default: value = -value;
  }
  out[i] = value;
}

__global__ void nested(const int* __restrict__ in, int n, int* __restrict__ out) {
  const int i = element();
  if (i >= n) return;
  int value = in[i];
  if (value & 1) {
    if (value & 2)
      value += in[(i + 3) % n];
    else {
      for (int k = 0; k < (value & 7); ++k) value += in[(i + k) % n];
    }
    out[i] = value;
  } else if (value & 4) {
    out[i] = in[n - 1 - i];
  }
}

// A store to shared memory under a condition of the warp, and a load of one element by all.
__global__ void broadcast(const int* in, int n, int* out) {
  __shared__ int s_first[kBlock / 32];
  const int i = element(), warp = threadIdx.x / 32;
  if (threadIdx.x % 32 == 0) s_first[warp] = i < n ? in[i] : 0;
  // Each warp reads what its first lane stored.
  __syncwarp();
  if (i < n) out[i] = in[i] - s_first[warp];
}

__global__ void grid_stride(const float* __restrict__ in, int n, float factor, float* __restrict__ out) {
  for (int i = element(); i < n; i += gridDim.x * blockDim.x) out[i] = factor * in[i] + out[i];
}

// Three nested loops whose lengths the compiler knows.
__global__ void known_lengths(const int* in, int* out) {
  int sum = 0;
  for (int z = 0; z < 3; ++z)
    for (int y = 0; y < 3; ++y)
      for (int x = 0; x < 4; ++x) sum += in[(z * 3 + y) * 4 + x] * (in[threadIdx.x + x] + z);
  out[threadIdx.x] = sum;
}

void run_unrolled(const int* in, int* out) {
  for (const int n : {7, 16}) {
    unrolled<0><<<1, kBlock>>>(in, n, out);
    unrolled<1><<<1, kBlock>>>(in, n, out);
    unrolled<4><<<1, kBlock>>>(in, n, out);
  }
  triangle<<<2, kBlock>>>(in, kLength, out);
  with_break<<<1, kBlock>>>(in, kLength, 42, out);
  with_continue<<<1, kBlock>>>(in, kLength, out);
  early_return<<<2, kBlock>>>(in, kLength, out);
  known_lengths<<<1, kBlock>>>(in, out);
  finish();
}

int main() {
  const int* in = device_array<int>(16 * kBlock, 100);
  const float* floats = device_array<float>(3 * kLength, 100);
  int* out = zeros<int>(2 * kLength);
  float* sums = zeros<float>(kLength);
  run_unrolled(in, out);
  std::vector<int> ascending(kLength);
  for (int i = 0; i < kLength; ++i) ascending[i] = i / 2;
  searched<<<1, kBlock>>>(to_device(ascending), kLength, in, out);
  hoistable<<<1, kBlock>>>(in, in, kLength, out);
  hoistable_restrict<<<1, kBlock>>>(in, in, kLength, out);
  redundant<<<2, kBlock>>>(device_array<int>(kLength, 100), kLength, out);
  sum_in_memory<<<1, kBlock>>>(floats, 13, sums);
  sum_in_shared<<<1, kBlock>>>(floats, 13, sums);
  predicated<<<2, kBlock>>>(in, kLength, out);
  both_sides<<<2, kBlock>>>(in, kLength, out);
  chosen<<<2, kBlock>>>(in, kLength, out);
  nested<<<2, kBlock>>>(in, kLength, out);
  broadcast<<<2, kBlock>>>(in, kLength, out);
  grid_stride<<<1, kBlock>>>(floats, kLength, 2.0f, sums);
  finish();
}
