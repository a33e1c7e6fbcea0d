// last_bits: the last bits of mathematical functions decide where an access goes, and whether it is made. They have the
// hardware's approximations in them, so the counters are a card's only if each bit is. The counters are compared with
// those of a card (ncu_equality).
#include <cuda_fp16.h>

#include "stress.h"

constexpr int kBlock = 128;  // threads
constexpr int kBlocks = 40;
constexpr int kThreads = kBlock * kBlocks;
constexpr unsigned kLength = 8192;  // elements that the last bits choose from

__device__ int number() { return blockIdx.x * blockDim.x + threadIdx.x; }

__device__ unsigned bits(float x) { return __float_as_uint(x); }
__device__ unsigned bits(double x) { return static_cast<unsigned>(__double_as_longlong(x)); }
__device__ unsigned bits(__half x) { return __half_as_ushort(x); }

// ---- where ----

template <class T, class Function>
__global__ void chosen(const T* x, const int* data, int* out, Function function) {
  const int i = number();
  out[i] = data[bits(function(x[i])) * 32u % kLength];
}

// The launch behind finds the values in memory.
template <class T, class Function>
__global__ void stored(const T* x, T* values, Function function) {
  values[number()] = function(x[number()]);
}
template <class T>
__global__ void chosen_later(const T* values, const int* data, int* out) {
  out[number()] = data[bits(values[number()]) * 32u % kLength];
}

// ---- whether, and how often ----

template <class T, class Condition>
__global__ void stored_if(const T* x, int* out, Condition condition) {
  const int i = number();
  if (condition(x[i])) out[i * 8] = i;
}

// A cube root by Newton's method, from a first guess to the value that does not change any more.
__global__ void iterated(const float* x, const int* data, int* out) {
  const int i = number();
  const float wanted = x[i];
  float root = __expf(__logf(wanted) * (1.0f / 3.0f));
  int sum = 0;
  for (unsigned turn = 0; turn < 30; ++turn) {
    sum += data[(i + turn * 32) % kLength];
    const float next = root - (root * root * root - wanted) * __frcp_rn(3.0f * root * root);
    if (next == root) break;
    root = next;
  }
  out[i] = sum;
}

// A random walk accepts a step by Metropolis' rule.
__global__ void accepted(const float* x, int* out) {
  const int i = number();
  float place = x[i];
  unsigned random = i * 2654435761u + 1;
  for (int step = 0; step < 16; ++step) {
    random = random * 1664525u + 1013904223u;
    const float next = place + (static_cast<float>(random >> 8) * 0x1p-24f - 0.5f);
    random = random * 1664525u + 1013904223u;
    if (expf(place * place - next * next) < static_cast<float>(random >> 8) * 0x1p-24f) continue;
    place = next;
    out[i * 16 + step] = step;
  }
}

template <class T>
std::vector<T> arguments() {
  std::vector<T> x;
  for (uint32_t i = 0; i < kThreads; ++i)
    x.push_back(static_cast<T>(0.01f + static_cast<float>(hash(i) % 1000000u) * 5e-6f));
  return x;
}

int main() {
  const float* x = to_device(arguments<float>());
  const double* d = to_device(arguments<double>());
  const __half* h = to_device(arguments<__half>());
  const int* data = device_array<int>(kLength);
  int* out = zeros<int>(kThreads * 16);
  float* values = zeros<float>(kThreads);

#define CHOSEN(arguments, expression) \
  chosen<<<kBlocks, kBlock>>>(arguments, data, out, [] __device__(auto x) { return expression; })
  CHOSEN(x, expf(x));
  CHOSEN(x, exp2f(x));
  CHOSEN(x, exp10f(x));
  CHOSEN(x, __logf(x));
  CHOSEN(x, __sinf(x));
  CHOSEN(x, __cosf(x));
  CHOSEN(x, __tanf(x));
  CHOSEN(x, tanhf(x));
  CHOSEN(x, rsqrtf(x));
  CHOSEN(x, cbrtf(x));
  CHOSEN(x, erfcf(x));
  CHOSEN(x, __powf(x, 1.7f));
  CHOSEN(x, 1.0f / (1.0f + expf(-x)));
  CHOSEN(x, normcdff(x));
  CHOSEN(d, log(x));
  CHOSEN(d, rsqrt(x));
  CHOSEN(d, exp(-x * x));
  CHOSEN(h, hexp2(x));
  CHOSEN(h, hsin(x));

  stored<<<kBlocks, kBlock>>>(x, values, [] __device__(float x) { return __sinf(x) * expf(-x); });
  chosen_later<<<kBlocks, kBlock>>>(values, data, out);

#define STORED_IF(condition) stored_if<<<kBlocks, kBlock>>>(x, out, [] __device__(float x) { return condition; })
  STORED_IF(rsqrtf(x) * rsqrtf(x) * x == 1.0f);
  STORED_IF(__sinf(x) * __sinf(x) + __cosf(x) * __cosf(x) == 1.0f);
  STORED_IF(exp2f(__log2f(x)) == x);
  STORED_IF(1.0f / (1.0f + expf(-2.0f * x)) == 0.5f + 0.5f * tanhf(x));
  iterated<<<kBlocks, kBlock>>>(x, data, out);
  accepted<<<kBlocks, kBlock>>>(x, out);
  finish();
}
