// The parts of the language CUDA C++: printf and its order within a thread, virtual functions, recursion, function
// pointers, device lambdas through templates, structures by value, constant memory, symbols, dynamic and static
// shared memory together, a switch, local arrays, 64-bit, 128-bit and double arithmetic, warp intrinsics, half
// precision.
// Also for compute_80, compute_86, compute_87, compute_88, compute_89, compute_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "expect.h"

struct Shape {
  __device__ virtual float area() const = 0;
};
struct Square final : Shape {
  float side;
  __device__ explicit Square(float s) : side(s) {}
  __device__ float area() const override { return side * side; }
};
struct Ring final : Shape {
  float outer, inner;
  __device__ Ring(float o, float i) : outer(o), inner(i) {}
  __device__ float area() const override { return 3.0f * (outer * outer - inner * inner); }
};

__device__ int ackermann(int m, int n) {
  if (m == 0) return n + 1;
  if (n == 0) return ackermann(m - 1, 1);
  return ackermann(m - 1, ackermann(m, n - 1));
}

using Operation = int (*)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int subtract(int a, int b) { return a - b; }
__device__ int multiply(int a, int b) { return a * b; }
__device__ Operation operations[3] = {add, subtract, multiply};

__constant__ int c_table[16];
__device__ int d_scale = 1;

struct Shift {
  int by[3];
  int8_t sign;
  double factor;
};

template <class F>
__global__ void apply(int* out, F f) {
  out[threadIdx.x] = f(threadIdx.x);
}

__global__ void everything(int* out, Shift shift) {
  extern __shared__ int s_dynamic[];
  __shared__ short s_static[64];
  const int tid = threadIdx.x;
  s_dynamic[tid] = tid * 3;
  s_static[63 - tid] = static_cast<short>(-tid);
  __syncthreads();
  int values[8];
  for (int i = 0; i < 8; ++i) values[i] = (tid + i) * shift.by[i % 3] * shift.sign;
  int result = values[tid % 8] + s_dynamic[63 - tid] + s_static[tid] + c_table[tid % 16] * d_scale;
  switch (tid % 5) {
    case 0: result += 1000; break;
    case 1: result -= 7; [[fallthrough]];
    case 2: result *= 2; break;
    case 3: result = result / 3 + result % 3; break;
    default: result ^= 0x55; break;
  }
  result += operations[tid % 3](tid, 5);
  result += static_cast<int>(shift.factor * tid);
  out[tid] = result;
}

__global__ void classes(float* out) {
  const int tid = threadIdx.x;
  const Square square(static_cast<float>(tid));
  const Ring ring(static_cast<float>(tid + 2), 1.0f);
  const Shape* shape = tid % 2 ? static_cast<const Shape*>(&square) : &ring;
  out[tid] = shape->area();
}

__global__ void recursive(int* out) { out[threadIdx.x] = ackermann(2, threadIdx.x % 4); }

__global__ void halves(float* out) {
  const int tid = threadIdx.x;
  const __half2 pair = __floats2half2_rn(tid * 0.5f, tid * 0.25f);
  const __half2 sum = __hfma2(pair, __float2half2_rn(2.0f), __float2half2_rn(1.0f));
  const __nv_bfloat16 b = __float2bfloat16(tid * 2.0f);
  out[tid] = __low2float(sum) + __high2float(sum) + __bfloat162float(b);
}

__global__ void intrinsics(unsigned* out) {
  const unsigned tid = threadIdx.x;
  const unsigned x = tid * 2654435761u;
  unsigned r = __popc(x) + __clz(x) * 2 + __ffs(x) * 3;
  r += __brev(x) ^ __byte_perm(x, tid, 0x4321) ^ __funnelshift_l(x, tid, tid);
  r += __umulhi(x, x) + static_cast<unsigned>(__mul64hi(static_cast<long long>(x) << 20, -12345));
  r += __shfl_xor_sync(0xffffffffu, tid, 5) + __ballot_sync(0xffffffffu, tid & 4) + __any_sync(0xffffffffu, tid == 9);
  r += __dp4a(x, tid, 1u) + __vadd4(x, 0x01020304u);
  out[tid] = r;
}

static unsigned intrinsic_on_host(unsigned tid) {
  const unsigned x = tid * 2654435761u;
  unsigned r = __builtin_popcount(x) + (x ? __builtin_clz(x) : 32) * 2 + __builtin_ffs(x) * 3;
  unsigned reversed = 0, permuted = 0, dot = 1, bytes = 0;
  for (int i = 0; i < 32; ++i) reversed |= (x >> i & 1) << (31 - i);
  for (int i = 0; i < 4; ++i) {
    const unsigned both[8] = {x & 255,   x >> 8 & 255,   x >> 16 & 255,   x >> 24,
                              tid & 255, tid >> 8 & 255, tid >> 16 & 255, tid >> 24};
    permuted |= both[i + 1] << (8 * i);
    dot += both[i] * both[i + 4];
    bytes |= (both[i] + (0x01020304u >> (8 * i) & 255) & 255) << (8 * i);
  }
  const unsigned long long both = static_cast<unsigned long long>(tid) << 32 | x;
  r += reversed ^ permuted ^ static_cast<unsigned>(both << (tid & 31) >> 32);
  const __int128 product = static_cast<__int128>(static_cast<long long>(x) << 20) * -12345;
  r += static_cast<unsigned>(static_cast<unsigned long long>(x) * x >> 32) + static_cast<unsigned>(product >> 64);
  return r + (tid ^ 5) + 0xf0f0f0f0u + 1 + dot + bytes;
}

// Products, quotients and remainders of 128-bit integers; the compiler builds them from additions with carry.
__global__ void wide(const __int128* __restrict__ in, int n, __int128* __restrict__ out) {
  const int i = threadIdx.x;
  const __int128 a = in[i / n], b = in[i % n];
  out[3 * i] = a * b;
  out[3 * i + 1] = a / b;
  out[3 * i + 2] = a % b;
}

static void check_wide() {
  const __int128 one = 1;
  const std::vector<__int128> in = {7, -1000, one << 70, (one << 70) * 12345, -(one << 100) + 3, 0x123456789abcdef};
  const int n = static_cast<int>(in.size());
  __int128 *d_in = nullptr, *d_out = nullptr;
  CUDA_CHECK(cudaMalloc(&d_in, n * sizeof(__int128)));
  CUDA_CHECK(cudaMalloc(&d_out, 3 * n * n * sizeof(__int128)));
  CUDA_CHECK(cudaMemcpy(d_in, in.data(), n * sizeof(__int128), cudaMemcpyHostToDevice));
  wide<<<1, n * n>>>(d_in, n, d_out);
  std::vector<__int128> got(3 * n * n), want;
  CUDA_CHECK(cudaMemcpy(got.data(), d_out, got.size() * sizeof(__int128), cudaMemcpyDeviceToHost));
  for (const __int128 a : in)
    for (const __int128 b : in) {
      const auto product = static_cast<unsigned __int128>(a) * static_cast<unsigned __int128>(b);  // may overflow
      for (const __int128 value : {static_cast<__int128>(product), a / b, a % b}) want.push_back(value);
    }
  expect_equal("128-bit integers", got, want);
  CUDA_CHECK(cudaFree(d_in));
  CUDA_CHECK(cudaFree(d_out));
}

__global__ void greet() {
  printf("thread %d of %d: %s, %5.2f, %lld, %c, %08x\n", threadIdx.x, blockDim.x, "hello", 2.5, 1ll << 40, 'x', 48879);
}

template <class T>
std::vector<T> fetch(const T* device, int n) {
  std::vector<T> host(n);
  CUDA_CHECK(cudaMemcpy(host.data(), device, n * sizeof(T), cudaMemcpyDeviceToHost));
  return host;
}

static int everything_on_host(int tid, const Shift& shift, const int* table, int scale) {
  int result =
      (tid + tid % 8) * shift.by[tid % 8 % 3] * shift.sign + (63 - tid) * 3 - (63 - tid) + table[tid % 16] * scale;
  switch (tid % 5) {
    case 0: result += 1000; break;
    case 1: result = (result - 7) * 2; break;
    case 2: result *= 2; break;
    case 3: result = result / 3 + result % 3; break;
    default: result ^= 0x55; break;
  }
  result += tid % 3 == 0 ? tid + 5 : tid % 3 == 1 ? tid - 5 : tid * 5;
  return result + static_cast<int>(shift.factor * tid);
}

// A frame of 256 bytes for each call: a hundred of them need more than the stack that a card starts with.
__device__ __noinline__ int deep(int n) {
  volatile int cells[64];
  for (int i = 0; i < 64; ++i) cells[i] = n + i;
  return n == 0 ? 0 : deep(n - 1) + cells[n * 7 % 64];
}

__global__ void deep_recursion(int* __restrict__ out) { out[threadIdx.x] = deep(100 + threadIdx.x % 2); }

int main() {
  const int n = 64;
  int* d_ints = nullptr;
  float* d_floats = nullptr;
  CUDA_CHECK(cudaMalloc(&d_ints, n * sizeof(int)));
  CUDA_CHECK(cudaMalloc(&d_floats, n * sizeof(float)));

  int table[16];
  for (int i = 0; i < 16; ++i) table[i] = i * i - 20;
  const int scale = -3;
  CUDA_CHECK(cudaMemcpyToSymbol(c_table, table, sizeof table));
  CUDA_CHECK(cudaMemcpyToSymbol(d_scale, &scale, sizeof scale));
  const Shift shift{{2, -5, 11}, -1, 1.75};
  everything<<<1, n, n * sizeof(int)>>>(d_ints, shift);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want(n);
  for (int i = 0; i < n; ++i) want[i] = everything_on_host(i, shift, table, scale);
  expect_equal("everything", fetch(d_ints, n), want);

  const int captured = 17;
  apply<<<1, n>>>(d_ints, [captured] __device__(int i) { return i * captured - 1; });
  for (int i = 0; i < n; ++i) want[i] = i * captured - 1;
  expect_equal("lambda", fetch(d_ints, n), want);

  recursive<<<1, n>>>(d_ints);
  // Ackermann's A(2, n) = 2 n + 3.
  for (int i = 0; i < n; ++i) want[i] = 2 * (i % 4) + 3;
  expect_equal("recursion", fetch(d_ints, n), want);

  CUDA_CHECK(cudaDeviceSetLimit(cudaLimitStackSize, 64 << 10));
  deep_recursion<<<1, n>>>(d_ints);
  for (int i = 0; i < n; ++i) {
    want[i] = 0;
    for (int k = 1; k <= 100 + i % 2; ++k) want[i] += k + k * 7 % 64;
  }
  expect_equal("deep recursion", fetch(d_ints, n), want);

  std::vector<float> floats(n);
  classes<<<1, n>>>(d_floats);
  for (int i = 0; i < n; ++i) floats[i] = i % 2 ? float(i * i) : 3.0f * ((i + 2) * (i + 2) - 1);
  expect_equal("virtual functions", fetch(d_floats, n), floats);

  halves<<<1, n>>>(d_floats);
  // All of these are small multiples of 1/4, exact in both formats.
  for (int i = 0; i < n; ++i) floats[i] = (i + 1.0f) + (0.5f * i + 1.0f) + 2.0f * i;
  expect_equal("half precision", fetch(d_floats, n), floats);

  intrinsics<<<1, 32>>>(reinterpret_cast<unsigned*>(d_ints));
  std::vector<unsigned> bits(32);
  for (int i = 0; i < 32; ++i) bits[i] = intrinsic_on_host(i);
  expect_equal("intrinsics", fetch(reinterpret_cast<unsigned*>(d_ints), 32), bits);

  check_wide();

  greet<<<1, 2>>>();
  CUDA_CHECK(cudaDeviceSynchronize());
  CUDA_CHECK(cudaFree(d_ints));
  CUDA_CHECK(cudaFree(d_floats));
  return verdict("language");
}
