// filled_arrays: arrays of a thread in local memory that a loop fills. ptxas unrolls the loop, and joins stores of
// several turns. The counters are compared with those of a card (ncu_equality).
#include "stress.h"

constexpr int kBlock = 96;  // threads
constexpr int kBlocks = 5;
constexpr int kThreads = kBlock * kBlocks;

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

// An index that is known only when the kernel runs, so that the array stays in memory.
__device__ int place_of(int i, int length) { return i * 7 % length; }

// The initializer is a loop in the PTX.
template <class T, int length>
__global__ void initialized(const T* in, T* out) {
  const int i = number();
  T cells[length] = {};
  for (int k = 0; k < 3; ++k) cells[place_of(i + k, length)] += in[i];
  out[i] = cells[place_of(i, length)];
}

// Stores with constant indices follow.
__global__ void some_again(const float* in, float* out) {
  const int i = number();
  float cells[64] = {};
  cells[5] = in[i], cells[0] = 2, cells[63] = 3;
  cells[place_of(i, 64)] += 1;
  out[i] = cells[place_of(i + 1, 64)] + cells[5];
}

__global__ void first_given(const int* in, int* out) {
  const int i = number();
  int cells[72] = {7, 5, 3};
  cells[place_of(i, 72)] += in[i];
  out[i] = cells[place_of(i + 1, 72)];
}

// Two loops, one behind the other.
__global__ void two_arrays(const float* in, float* out) {
  const int i = number();
  float sums[48] = {};
  int counts[48] = {};
  for (int k = 0; k < 3; ++k) {
    const int place = place_of(i + k, 48);
    sums[place] += in[i], counts[place] += 1;
  }
  out[i] = sums[place_of(i, 48)] * counts[place_of(i + 1, 48)];
}

struct Tally {
  int total;
  int of[50];
};
__global__ void in_a_structure(const int* in, int* out) {
  const int i = number();
  Tally tally = {};
  for (int k = 0; k < 4; ++k) tally.of[place_of(i + k, 50)] += in[i], tally.total += k;
  out[i] = tally.of[place_of(i, 50)] + tally.total;
}

__device__ __noinline__ int chosen(int value, int i) {
  int cells[40] = {};
  cells[place_of(i, 40)] = value;
  return cells[place_of(i + 1, 40)];
}
__global__ void in_a_function(const int* in, int* out) {
  out[number()] = chosen(in[number()], number()) + chosen(3, 4);
}

// Some lanes have left.
__global__ void of_those_that_stay(const int* in, int n, int* out) {
  const int i = number();
  if (i >= n || i % 5 == 2) return;
  int cells[36] = {};
  cells[place_of(i, 36)] = in[i];
  out[i] = cells[place_of(i + 1, 36)];
}

// Each lane makes its own number of rounds.
__global__ void zeros_in_own_loop(const int* in, int* out) {
  const int i = number();
  int sum = 0;
  for (int round = 0; round < i % 4; ++round) {
    int cells[40] = {};
    cells[place_of(i + round, 40)] = in[i];
    sum += cells[place_of(i * round, 40)];
  }
  out[i] = sum;
}

__global__ void minus_one(const int* in, int* out) {
  const int i = number();
  int cells[56];
  memset(cells, 0xff, sizeof cells);
  cells[place_of(i, 56)] = in[i];
  out[i] = cells[place_of(i + 1, 56)];
}

// Each turn of the outer loop begins with zeros.
__global__ void zeros_in_a_loop(const float* in, int rounds, float* out) {
  const int i = number();
  float sum = 0;
  for (int round = 0; round < rounds; ++round) {
    float cells[32] = {};
    cells[place_of(i + round, 32)] = in[i];
    sum += cells[place_of(i * round, 32)];
  }
  out[i] = sum;
}

__global__ void zeros_of_some(const float* in, float* out) {
  const int i = number();
  float value = in[i];
  if (value > 100) {
    float cells[48] = {};
    cells[place_of(i + 3, 48)] = value;
    value = cells[place_of(i, 48)];
  }
  out[i] = value;
}

// The loop's end is known only when the kernel runs.
__global__ void zeros_up_to(const float* in, int end, float* out) {
  const int i = number();
  float cells[64];
  for (int k = 0; k < end; ++k) cells[k] = 0;
  cells[place_of(i, end)] = in[i];
  out[i] = cells[place_of(i + 1, end)];
}

// Each thread has an end of its own.
__global__ void zeros_up_to_own(const int* in, int* out) {
  const int i = number(), end = in[i] % 17 + 8;
  int cells[32];
  for (int k = 0; k < end; ++k) cells[k] = 0;
  cells[place_of(i, end)] = in[i];
  out[i] = cells[place_of(i + 1, end)];
}

__global__ void numbers(const int* in, int* out) {
  const int i = number();
  int cells[20];
  for (int k = 0; k < 20; ++k) cells[k] = k * in[i];
  out[i] = cells[place_of(i, 20)];
}

__global__ void copies(const int* in, int* out) {
  const int i = number();
  int cells[16];
  for (int k = 0; k < 16; ++k) cells[k] = in[(i + k * 32) % kThreads];
  for (int k = 0; k < 4; ++k) cells[place_of(cells[k], 16)] += k;
  out[i] = cells[place_of(i, 16)];
}

// Every second element, and then those between.
__global__ void by_twos(const int* in, int* out) {
  const int i = number();
  int cells[16];
  for (int k = 0; k < 16; k += 2) cells[k] = 0;
  for (int k = 1; k < 16; k += 2) cells[k] = 1;
  cells[place_of(i, 16)] += in[i];
  out[i] = cells[place_of(i + 5, 16)];
}

__global__ void backwards(const int* in, int* out) {
  const int i = number();
  int cells[12];
  for (int k = 11; k >= 0; --k) cells[k] = 3;
  cells[place_of(i, 12)] += in[i];
  out[i] = cells[place_of(i + 5, 12)];
}

// The first elements get their value twice.
__global__ void twice(const int* in, int* out) {
  const int i = number();
  int cells[16];
  for (int k = 0; k < 16; ++k) cells[k] = 0;
  for (int k = 0; k < 8; ++k) cells[k] = in[(i + k) % kThreads];
  out[i] = cells[place_of(i, 16)];
}

__global__ void rows(const float* in, float* out) {
  const int i = number();
  float cells[6][14] = {};
  cells[i % 6][place_of(i, 14)] = in[i];
  out[i] = cells[i / 3 % 6][place_of(i + 1, 14)];
}

struct Pair {
  float value;
  int index;
};
__global__ void pairs(const float* in, int* out) {
  const int i = number();
  Pair cells[8];
  for (int k = 0; k < 8; ++k) cells[k] = {0, -1};
  cells[place_of(i, 8)] = {in[i], i};
  out[i] = cells[place_of(i + 1, 8)].index;
}

// The loop may end early.
__global__ void until_found(const int* in, int* out) {
  const int i = number();
  int cells[16];
  cells[place_of(i, 16)] = 0;
  for (int k = 0; k < 16; ++k) {
    if (in[i] % 19 == k) break;
    cells[k] = k + 1;
  }
  out[i] = in[i] % 19 ? cells[min(in[i] % 19, 16) - 1] : 0;
}

// nvcc unrolls the loop only so far.
template <class T, int length, int unroll>
__global__ void kept_loop(const T* in, T* out) {
  const int i = number();
  T cells[length];
#pragma unroll unroll
  for (int k = 0; k < length; ++k) cells[k] = 0;
  cells[place_of(i, length)] = in[i];
  out[i] = cells[place_of(i + 1, length)];
}

int main() {
  const float* floats = device_array<float>(kThreads, 1000);
  const int* ints = device_array<int>(kThreads, 1000);
  const double* doubles = device_array<double>(kThreads, 1000);
  const short* shorts = device_array<short>(kThreads, 1000);
  const unsigned char* bytes = device_array<unsigned char>(kThreads, 100);
  float* out_floats = zeros<float>(kThreads);
  int* out_ints = zeros<int>(kThreads);
  double* out_doubles = zeros<double>(kThreads);
  short* out_shorts = zeros<short>(kThreads);
  unsigned char* out_bytes = zeros<unsigned char>(kThreads);
  initialized<int, 8><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<int, 10><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<int, 64><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<int, 127><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<int, 300><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<int, 1100><<<kBlocks, kBlock>>>(ints, out_ints);
  initialized<float, 33><<<kBlocks, kBlock>>>(floats, out_floats);
  initialized<double, 30><<<kBlocks, kBlock>>>(doubles, out_doubles);
  initialized<long long, 65><<<kBlocks, kBlock>>>(device_array<long long>(kThreads, 1000), zeros<long long>(kThreads));
  initialized<short, 64><<<kBlocks, kBlock>>>(shorts, out_shorts);
  initialized<unsigned char, 128><<<kBlocks, kBlock>>>(bytes, out_bytes);
  kept_loop<float, 64, 1><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<float, 64, 4><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<float, 256, 1><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<float, 512, 16><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<float, 4, 1><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<float, 37, 1><<<kBlocks, kBlock>>>(floats, out_floats);
  kept_loop<double, 32, 1><<<kBlocks, kBlock>>>(doubles, out_doubles);
  kept_loop<short, 32, 1><<<kBlocks, kBlock>>>(shorts, out_shorts);
  kept_loop<unsigned char, 64, 1><<<kBlocks, kBlock>>>(bytes, out_bytes);
  some_again<<<kBlocks, kBlock>>>(floats, out_floats);
  first_given<<<kBlocks, kBlock>>>(ints, out_ints);
  two_arrays<<<kBlocks, kBlock>>>(floats, out_floats);
  in_a_structure<<<kBlocks, kBlock>>>(ints, out_ints);
  in_a_function<<<kBlocks, kBlock>>>(ints, out_ints);
  of_those_that_stay<<<kBlocks, kBlock>>>(ints, kThreads - 50, out_ints);
  zeros_in_own_loop<<<kBlocks, kBlock>>>(ints, out_ints);
  minus_one<<<kBlocks, kBlock>>>(ints, out_ints);
  zeros_in_a_loop<<<kBlocks, kBlock>>>(floats, 5, out_floats);
  zeros_of_some<<<kBlocks, kBlock>>>(floats, out_floats);
  zeros_up_to<<<kBlocks, kBlock>>>(floats, 61, out_floats);
  zeros_up_to_own<<<kBlocks, kBlock>>>(ints, out_ints);
  numbers<<<kBlocks, kBlock>>>(ints, out_ints);
  copies<<<kBlocks, kBlock>>>(ints, out_ints);
  by_twos<<<kBlocks, kBlock>>>(ints, out_ints);
  backwards<<<kBlocks, kBlock>>>(ints, out_ints);
  twice<<<kBlocks, kBlock>>>(ints, out_ints);
  rows<<<kBlocks, kBlock>>>(floats, out_floats);
  pairs<<<kBlocks, kBlock>>>(floats, out_ints);
  until_found<<<kBlocks, kBlock>>>(ints, out_ints);
  finish();
}
