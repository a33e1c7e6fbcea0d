// local_arrays: small arrays of a thread, which become registers if every index is known, and sorts. The counters are
// compared with those of a card (ncu_equality).
#include <algorithm>

#include "stress.h"

constexpr int kBlock = 96;  // threads
constexpr int kEach = 8;    // elements of one thread

// All indices are known after unrolling.
__global__ void in_registers(const int* __restrict__ in, int* __restrict__ out) {
  const int tid = threadIdx.x;
  int cells[kEach];
  for (int k = 0; k < kEach; ++k) cells[k] = in[k * kBlock + tid];
  for (int round = 0; round < 3; ++round)
    for (int k = 0; k + 1 < kEach; ++k) cells[k + 1] += cells[k];
  for (int k = 0; k < kEach; ++k) out[k * kBlock + tid] = cells[k];
}

// One index is known only when the kernel runs.
__global__ void one_dynamic(const int* __restrict__ in, int place, int* __restrict__ out) {
  const int tid = threadIdx.x;
  int cells[kEach] = {};
  for (int k = 0; k < kEach; ++k) cells[k] = in[k * kBlock + tid];
  out[tid] = cells[(place + tid) % kEach];
}

// A histogram of the thread's own elements.
__global__ void digits(const int* in, int n, int* out) {
  int counts[10] = {};
  for (int i = threadIdx.x; i < n; i += blockDim.x) ++counts[in[i] % 10];
  for (int digit = 0; digit < 10; ++digit) out[digit * blockDim.x + threadIdx.x] = counts[digit];
}

// The loop's end is not known: the array stays in memory.
__global__ void reversed(const int* in, int n, int* out) {
  int stack[kEach], top = 0;
  for (int k = 0; k < n; ++k) stack[top++] = in[threadIdx.x * n + k];
  while (top > 0) *(out + threadIdx.x * n + n - top) = stack[--top];
}

// Two of eight neighbouring elements are loaded at a time, or four, if ptxas can prove their alignment.
__global__ void neighbours(const float* __restrict__ in, float* __restrict__ out) {
  const int first = (blockIdx.x * blockDim.x + threadIdx.x) * kEach;
  float cells[kEach];
#pragma unroll
  for (int k = 0; k < kEach; ++k) cells[k] = in[first + k];
#pragma unroll
  for (int k = 0; k < kEach; ++k) out[first + k] = cells[kEach - 1 - k];
}

// Bytes of a thread. ptxas makes wider accesses of them, also of two and four bytes.
__global__ void bytes(const unsigned char* __restrict__ in, int n, unsigned char* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned char cells[16] = {};
  for (int k = 0; k < 12; ++k) cells[k + 2] = in[i * 12 + k];
  cells[i % 16] = cells[i % 8 + 2] + 1;
  for (int k = 0; k < 16; ++k) out[i * 16 + k] = cells[k];
}

// The same in shared memory.
struct Pixel {
  unsigned char red, green, blue, alpha;
};
__global__ void bytes_of_pixels(const unsigned char* __restrict__ in, unsigned char* __restrict__ out) {
  __shared__ Pixel s_pixels[kBlock];
  Pixel& pixel = s_pixels[threadIdx.x * 7 % kBlock];
  pixel.red = in[threadIdx.x];
  pixel.green = in[threadIdx.x + 1];
  pixel.blue = in[threadIdx.x + 2];
  pixel.alpha = 255;
  __syncthreads();
  const Pixel& other = s_pixels[threadIdx.x];
  out[threadIdx.x] = (other.red * 3 + other.green * 5 + other.blue) / 9 ^ other.alpha;
}

// Odd-even transposition in registers.
__global__ void sorted_in_registers(const int* __restrict__ in, int* __restrict__ out) {
  int cells[kEach];
  for (int k = 0; k < kEach; ++k) cells[k] = in[threadIdx.x * kEach + k];
#pragma unroll
  for (int round = 0; round < kEach; ++round)
#pragma unroll
    for (int k = round % 2; k + 1 < kEach; k += 2) {
      const int low = min(cells[k], cells[k + 1]), high = max(cells[k], cells[k + 1]);
      cells[k] = low, cells[k + 1] = high;
    }
  for (int k = 0; k < kEach; ++k) out[threadIdx.x * kEach + k] = cells[k];
}

// Insertion sort in the thread's memory.
__global__ void sorted_by_insertion(const float* in, int n, float* out) {
  float cells[kEach];
  for (int k = 0; k < n; ++k) {
    const float value = in[threadIdx.x * n + k];
    int place = k;
    for (; place > 0 && cells[place - 1] > value; --place) cells[place] = cells[place - 1];
    cells[place] = value;
  }
  for (int k = 0; k < n; ++k) out[threadIdx.x * n + k] = cells[k];
}

// Bitonic sort in shared memory: the swap is predicated.
template <int kSize, class T>
__global__ void bitonic(T* data) {
  __shared__ T s_data[kSize];
  const int tid = threadIdx.x;
  s_data[tid] = data[tid];
  for (int length = 2; length <= kSize; length *= 2)
    for (int step = length / 2; step > 0; step /= 2) {
      // The last step's swaps are done.
      __syncthreads();
      const int other = tid ^ step;
      if (other <= tid) continue;
      const bool ascending = (tid & length) == 0;
      if ((s_data[tid] > s_data[other]) == ascending) {
        const T mine = s_data[tid];
        s_data[tid] = s_data[other];
        s_data[other] = mine;
      }
    }
  // All swaps are done.
  __syncthreads();
  data[tid] = s_data[tid];
}

// One step of the network in global memory: half as many threads as elements.
__global__ void bitonic_step(int* data, int step, int length) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x, other = i ^ step;
  if (other <= i) return;
  const int a = data[i], b = data[other];
  if (((i & length) == 0) == (a > b)) data[i] = b, data[other] = a;
}

// Odd-even sort of a block's pairs.
__global__ void odd_even(int* data, int n) {
  extern __shared__ int s_pairs[];
  for (int i = threadIdx.x; i < n; i += blockDim.x) s_pairs[i] = data[i];
  for (int round = 0; round < n; ++round) {
    // The last round's swaps are done.
    __syncthreads();
    const int i = 2 * threadIdx.x + round % 2;
    if (i + 1 < n && s_pairs[i] > s_pairs[i + 1]) {
      const int low = s_pairs[i + 1];
      s_pairs[i + 1] = s_pairs[i], s_pairs[i] = low;
    }
  }
  // All swaps are done.
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x) data[i] = s_pairs[i];
}

// Each element's rank is the number of smaller ones.
__global__ void by_rank(const int* __restrict__ in, int n, int* __restrict__ out) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const int value = in[i];
  int rank = 0;
  for (int k = 0; k < n; ++k) rank += in[k] < value || (in[k] == value && k < i);
  out[rank] = value;
}

template <class T>
std::vector<T> sorted(std::vector<T> values) {
  std::sort(values.begin(), values.end());
  return values;
}

template <int kSize, class T>
void run_bitonic() {
  const auto in = host_array<T>(kSize, 1000);
  T* data = to_device(in);
  bitonic<kSize, T><<<1, kSize>>>(data);
  expect("bitonic", data, sorted(in));
}

void run_sorts() {
  run_bitonic<64, int>();
  run_bitonic<256, float>();
  run_bitonic<128, long long>();
  const auto in = host_array<int>(kBlock, 1000);
  int *data = to_device(in), *out = zeros<int>(kBlock);
  by_rank<<<2, 64>>>(data, kBlock, out);
  expect("by_rank", out, sorted(in));
  bitonic_step<<<1, kBlock>>>(data, 2, 4);
  bitonic_step<<<1, 64>>>(data, 1, 4);
  finish();
  const auto few = host_array<int>(77, 1000);
  data = to_device(few);
  odd_even<<<1, 39, 77 * sizeof(int)>>>(data, 77);
  expect("odd_even", data, sorted(few));
}

int main() {
  const int all = kBlock * kEach;
  const int* in = device_array<int>(all, 1000);
  const float* floats = device_array<float>(all, 1000);
  in_registers<<<1, kBlock>>>(in, zeros<int>(all));
  one_dynamic<<<1, kBlock>>>(in, 3, zeros<int>(all));
  digits<<<1, kBlock>>>(in, all - 31, zeros<int>(10 * kBlock));
  reversed<<<1, kBlock>>>(in, kEach - 1, zeros<int>(all));
  neighbours<<<3, 32>>>(floats, zeros<float>(all));
  const auto* few = device_array<unsigned char>(all * 2);
  bytes<<<2, 64>>>(few, kBlock + 17, zeros<unsigned char>(16 * 128));
  bytes_of_pixels<<<1, kBlock>>>(few, zeros<unsigned char>(kBlock));
  sorted_in_registers<<<1, kBlock>>>(in, zeros<int>(all));
  sorted_by_insertion<<<1, kBlock>>>(floats, kEach, zeros<float>(all));
  sorted_by_insertion<<<1, kBlock>>>(floats, kEach - 3, zeros<float>(all));
  finish();
  run_sorts();
}
