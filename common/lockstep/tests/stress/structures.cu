// structures: arrays of structs and structs of arrays, wide and narrow elements, read-only loads. ptxas joins the
// loads of a struct's members if it knows their alignment. The counters are compared with those of a card
// (ncu_equality). Where the results are not compared with the CPU's, they do not matter.
#include "stress.h"

constexpr int kBlock = 64;  // threads
constexpr int kLength = 3 * kBlock - 17;

struct Particle {
  float x, y, z, mass, speed_x, speed_y, speed_z, age;
};
struct alignas(16) Aligned {
  float x, y, z, mass;
};
struct Three {
  float x, y, z;
};
struct Mixed {
  char tag;
  short level;
  int count;
  double weight;
};

__device__ int element() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void move(Particle* particles, int n, float time) {
  const int i = element();
  if (i >= n) return;
  particles[i].x += particles[i].speed_x * time;
  particles[i].y += particles[i].speed_y * time;
  particles[i].z += particles[i].speed_z * time;
}

__global__ void age(Particle* particles, int n) {
  const int i = element();
  if (i < n) particles[i].age += 1;
}

__global__ void copy_whole(const Particle* __restrict__ in, int n, Particle* __restrict__ out) {
  const int i = element();
  if (i < n) out[i] = in[i];
}

template <class T>
__global__ void scale(const T* in, int n, T* out) {
  const int i = element();
  if (i >= n) return;
  T value = in[i];
  value.x *= 2, value.y *= 3, value.z *= 4;
  out[i] = value;
}

__global__ void mix(Mixed* data, int n) {
  const int i = element();
  if (i >= n) return;
  Mixed value = data[i];
  if (value.tag & 1) value.level = static_cast<short>(value.level + value.count);
  value.weight += value.count;
  data[i] = value;
}

__global__ void move_arrays(float* x, float* y, float* z, const float* speed_x, const float* speed_y,
                            const float* speed_z, int n) {
  const int i = element();
  if (i >= n) return;
  x[i] += speed_x[i];
  y[i] += speed_y[i];
  z[i] += speed_z[i];
}

// Four neighbours of one thread: one 16-byte access if the pointer is cast, else four of 4 bytes.
__global__ void by_fours(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int first = 4 * element();
  for (int k = 0; k < 4; ++k)
    if (first + k < n) out[first + k] = 2 * in[first + k];
}

__global__ void by_vectors(const float* __restrict__ in, int n, float* __restrict__ out) {
  const int i = element();
  if (4 * i + 3 >= n) return;
  float4 value = reinterpret_cast<const float4*>(in)[i];
  value.x *= 2, value.y *= 2, value.z *= 2, value.w *= 2;
  reinterpret_cast<float4*>(out)[i] = value;
}

__global__ void pairs(const float2* __restrict__ in, int n, float2* __restrict__ out) {
  const int i = element();
  if (i < n) out[i] = make_float2(in[i].y, in[i].x);
}

template <class T>
__global__ void add(const T* a, const T* b, int n, T* c) {
  const int i = element();
  if (i < n) c[i] = static_cast<T>(a[i] + b[i]);
}

// Threads 2t and 2t + 1 of the output come from one thread.
__global__ void doubled(const short* in, int n, short* out) {
  const int i = element();
  if (2 * i + 1 >= n) return;
  out[2 * i] = in[i];
  out[2 * i + 1] = static_cast<short>(in[i] + 1);
}

__global__ void gray(const unsigned char* __restrict__ rgb, int n, unsigned char* __restrict__ out) {
  const int i = element();
  if (i >= n) return;
  const int sum = 30 * rgb[3 * i] + 59 * rgb[3 * i + 1] + 11 * rgb[3 * i + 2];
  out[i] = static_cast<unsigned char>(sum / 100);
}

__global__ void gathered(const int* __restrict__ places, const float* __restrict__ table, int n, float* out) {
  const int i = element();
  if (i < n) out[i] = __ldg(&table[__ldg(&places[i])]) + __ldg(&table[places[i] + 1]);
}

__global__ void in_shared(const float4* __restrict__ in, float* __restrict__ out) {
  __shared__ Three s_points[kBlock];
  __shared__ float4 s_quads[kBlock];
  const int tid = threadIdx.x;
  s_quads[tid] = in[tid];
  s_points[tid] = {in[tid].x, in[tid].y, in[tid].z};
  // Every thread reads a neighbour's elements.
  __syncthreads();
  const int next = (tid + 1) % kBlock;
  out[tid] = s_points[next].x + s_points[next].y + s_points[next].z + s_quads[next].x + s_quads[next].w;
}

template <class T>
void run_add() {
  const auto a = host_array<T>(kLength, 50);
  std::vector<T> wanted;
  for (const T value : a) wanted.push_back(static_cast<T>(2 * value));
  T *d_a = to_device(a), *c = zeros<T>(kLength);
  add<T><<<3, kBlock>>>(d_a, d_a, kLength, c);
  expect("add", c, wanted);
}

void run_arrays() {
  const float* in = device_array<float>(4 * kLength, 100);
  float* out = zeros<float>(4 * kLength);
  by_fours<<<3, kBlock>>>(in, 4 * kLength - 3, out);
  by_vectors<<<3, kBlock>>>(in, 4 * kLength - 3, out);
  move_arrays<<<3, kBlock>>>(out, out + 200, out + 400, in, in + 200, in + 400, kLength);
  doubled<<<3, kBlock>>>(device_array<short>(kLength, 99), 2 * kLength, zeros<short>(2 * kLength));
  gray<<<3, kBlock>>>(device_array<unsigned char>(3 * kLength, 256), kLength, zeros<unsigned char>(kLength));
  gathered<<<3, kBlock>>>(device_array<int>(kLength, kLength), in, kLength, out);
  in_shared<<<1, kBlock>>>(zeros<float4>(kBlock), out);
  finish();
}

int main() {
  Particle* particles = zeros<Particle>(kLength);
  move<<<3, kBlock>>>(particles, kLength, 2);
  age<<<3, kBlock>>>(particles, kLength);
  copy_whole<<<3, kBlock>>>(particles, kLength, zeros<Particle>(kLength));
  scale<Aligned><<<3, kBlock>>>(zeros<Aligned>(kLength), kLength, zeros<Aligned>(kLength));
  scale<Three><<<3, kBlock>>>(zeros<Three>(kLength), kLength, zeros<Three>(kLength));
  mix<<<3, kBlock>>>(zeros<Mixed>(kLength), kLength);
  pairs<<<3, kBlock>>>(zeros<float2>(kLength), kLength, zeros<float2>(kLength));
  finish();
  run_arrays();
  run_add<char>();
  run_add<short>();
  run_add<int>();
  run_add<long long>();
  run_add<double>();
}
