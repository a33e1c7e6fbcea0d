// local_memory: arrays of one thread that are indexed at run time, so that they cannot be in registers. Its counters
// are compared with those of a card (ncu_equality_test). The results do not matter.
#include "stress.h"

constexpr int kBlock = 64;  // threads
constexpr int kCells = 16;

// All lanes use the same index (uniform > 4), or each its own.
template <class T>
__global__ void indexed(const int* __restrict__ places, int uniform, T* __restrict__ out) {
  const int tid = threadIdx.x;
  T cells[kCells];
  for (int i = 0; i < kCells; ++i) cells[(i + uniform) % kCells] = static_cast<T>(i * tid);
  const int place = uniform > 4 ? uniform : places[tid] & (kCells - 1);
  cells[place & (kCells - 1)] += 1;
  out[tid] = cells[(place + 3) & (kCells - 1)];
}

// Lanes diverge: odd threads write, threads of the lower half read.
__global__ void partly(const int* __restrict__ places, int* __restrict__ out) {
  const int tid = threadIdx.x;
  int cells[kCells];
  for (int i = 0; i < kCells; ++i) cells[(i * 5 + places[0]) & (kCells - 1)] = i;
  if (tid & 1) cells[places[tid] & (kCells - 1)] = tid;
  int sum = 0;
  if (tid < 41) sum = cells[places[tid + 1] & (kCells - 1)];
  out[tid] = sum;
}

__device__ __noinline__ int sum_of(const int* cells, int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += cells[i];
  return sum;
}

// A function that is not inlined gets the address of the array.
__global__ void called(const int* __restrict__ in, int n, int* __restrict__ out) {
  int cells[kCells];
  for (int i = 0; i < kCells; ++i) cells[i] = in[threadIdx.x + i];
  out[threadIdx.x] = sum_of(cells, n);
}

template <class T>
void run_indexed() {
  const int* places = device_array<int>(kBlock);
  indexed<T><<<1, kBlock>>>(places, 2, device_array<T>(kBlock));
  indexed<T><<<1, kBlock>>>(places, 5, device_array<T>(kBlock));
  indexed<T><<<1, 20>>>(places, 2, device_array<T>(kBlock));
  finish();
}

int main() {
  run_indexed<char>();
  run_indexed<int>();
  run_indexed<double>();
  const int* places = device_array<int>(2 * kBlock);
  partly<<<1, kBlock>>>(places, device_array<int>(kBlock));
  called<<<1, kBlock>>>(places, 11, device_array<int>(kBlock));
  finish();
}
