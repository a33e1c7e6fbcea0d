// Tensor cores by PTX: mma, whose fragments lie as the PTX ISA says, ldmatrix and stmatrix. Each lane finds its
// elements by the ISA's formulas, written out shape by shape.

// Only for compute_90
#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include <cstdint>

#include "expect.h"

// Row and column of element i of lane l.
struct At {
  int row, column;
};

struct Halves8 {  // m16n8k8
  static __device__ At a(int l, int i) { return {l / 4 + (i < 2 ? 0 : 8), l % 4 * 2 + (i & 1)}; }
  static __device__ At b(int l, int i) { return {l % 4 * 2 + i, l / 4}; }
};
struct Halves16 {  // m16n8k16
  static __device__ At a(int l, int i) {
    const bool upper = i < 2 || (4 <= i && i < 6);
    return {l / 4 + (upper ? 0 : 8), l % 4 * 2 + (i & 1) + (i < 4 ? 0 : 8)};
  }
  static __device__ At b(int l, int i) { return {l % 4 * 2 + (i & 1) + (i < 2 ? 0 : 8), l / 4}; }
};
struct Words4 {  // tf32 and f64, m16n8k4
  static __device__ At a(int l, int i) { return {l / 4 + (i == 0 ? 0 : 8), l % 4}; }
  static __device__ At b(int l, int) { return {l % 4, l / 4}; }
};
struct Words8 {  // m16n8k8
  static __device__ At a(int l, int i) { return {l / 4 + (i == 0 || i == 2 ? 0 : 8), l % 4 + (i < 2 ? 0 : 4)}; }
  static __device__ At b(int l, int i) { return {l % 4 + (i == 0 ? 0 : 4), l / 4}; }
};
struct Doubles4 {  // m8n8k4
  static __device__ At a(int l, int) { return {l / 4, l % 4}; }
  static __device__ At b(int l, int) { return {l % 4, l / 4}; }
};
struct Doubles16 {  // m16n8k16
  static __device__ At a(int l, int i) { return {l / 4 + (i % 2 == 0 ? 0 : 8), i / 2 * 4 + l % 4}; }
  static __device__ At b(int l, int i) { return {i * 4 + l % 4, l / 4}; }
};
struct Bytes8 {  // m8n8k16
  static __device__ At a(int l, int i) { return {l / 4, l % 4 * 4 + i}; }
  static __device__ At b(int l, int i) { return {l % 4 * 4 + i, l / 4}; }
};
struct Bytes16 {  // m16n8k16
  static __device__ At a(int l, int i) { return {l / 4 + (i < 4 ? 0 : 8), l % 4 * 4 + (i & 3)}; }
  static __device__ At b(int l, int i) { return {l % 4 * 4 + i, l / 4}; }
};
struct Bytes32 {  // m16n8k32
  static __device__ At a(int l, int i) {
    const bool upper = i < 4 || (8 <= i && i < 12);
    return {l / 4 + (upper ? 0 : 8), l % 4 * 4 + (i & 3) + (i < 8 ? 0 : 16)};
  }
  static __device__ At b(int l, int i) { return {l % 4 * 4 + (i & 3) + (i < 4 ? 0 : 16), l / 4}; }
};
static __device__ At sum_at(int l, int i) { return {l / 4 + (i < 2 ? 0 : 8), l % 4 * 2 + (i & 1)}; }

// Element number i of an array of registers.
template <class T, class Register>
__device__ T& element(Register* registers, int i) {
  return reinterpret_cast<T*>(registers)[i];
}

template <class T>
__device__ T number(int value) {
  return static_cast<T>(value);
}
template <>
__device__ half number<half>(int value) {
  return __int2half_rn(value);
}
template <>
__device__ __nv_bfloat16 number<__nv_bfloat16>(int value) {
  return __float2bfloat16(static_cast<float>(value));
}
template <class T>
__device__ int whole(T value) {
  return static_cast<int>(static_cast<float>(value));
}

// One shape: the registers of A, B and C, and the instruction.
#define SHAPE(name, Layout, T, Sum, RegisterA, count_a, RegisterB, count_b, RegisterC, count_c, m_, k_, ...)      \
  struct name {                                                                                                   \
    using Places = Layout;                                                                                        \
    using Element = T;                                                                                            \
    using SumElement = Sum;                                                                                       \
    using A = RegisterA;                                                                                          \
    using B = RegisterB;                                                                                          \
    using C = RegisterC;                                                                                          \
    static constexpr int kA = count_a, kB = count_b, kC = count_c, m = m_, n = 8, k = k_;                         \
    static __device__ void run([[maybe_unused]] const A* a, [[maybe_unused]] const B* b, [[maybe_unused]] C* c) { \
      __VA_ARGS__;                                                                                                \
    }                                                                                                             \
  }
#define OUT4(letter) : "+" letter(c[0]), "+" letter(c[1]), "+" letter(c[2]), "+" letter(c[3])

SHAPE(HalfFloat8, Halves8, half, float, uint32_t, 2, uint32_t, 1, float, 4, 16, 8,
      asm("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" OUT4("f")
          : "r"(a[0]), "r"(a[1]), "r"(b[0])));
SHAPE(HalfHalf16, Halves16, half, half, uint32_t, 4, uint32_t, 2, uint32_t, 2, 16, 16,
      asm("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%3,%4,%5}, {%6,%7}, {%0,%1};"
          : "+r"(c[0]), "+r"(c[1])
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])));
#define FOUR_TWO(name)                                                                            \
  asm("mma.sync.aligned." name " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" OUT4("f") \
      : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]))
SHAPE(HalfFloat16, Halves16, half, float, uint32_t, 4, uint32_t, 2, float, 4, 16, 16,
      FOUR_TWO("m16n8k16.row.col.f32.f16.f16.f32"));
SHAPE(Bfloat16, Halves16, __nv_bfloat16, float, uint32_t, 4, uint32_t, 2, float, 4, 16, 16,
      FOUR_TWO("m16n8k16.row.col.f32.bf16.bf16.f32"));
SHAPE(Tf32x8, Words8, float, float, uint32_t, 4, uint32_t, 2, float, 4, 16, 8,
      FOUR_TWO("m16n8k8.row.col.f32.tf32.tf32.f32"));
SHAPE(Bfloat8, Halves8, __nv_bfloat16, float, uint32_t, 2, uint32_t, 1, float, 4, 16, 8,
      asm("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" OUT4("f")
          : "r"(a[0]), "r"(a[1]), "r"(b[0])));
SHAPE(Tf32x4, Words4, float, float, uint32_t, 2, uint32_t, 1, float, 4, 16, 4,
      asm("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" OUT4("f")
          : "r"(a[0]), "r"(a[1]), "r"(b[0])));
SHAPE(Double4, Doubles4, double, double, double, 1, double, 1, double, 2, 8, 4,
      asm("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+d"(c[0]), "+d"(c[1])
          : "d"(a[0]), "d"(b[0])));
SHAPE(Double8, Words8, double, double, double, 4, double, 2, double, 4, 16, 8,
      asm("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" OUT4(
              "d")
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1])));
SHAPE(Signed8, Bytes8, int8_t, int, uint32_t, 1, uint32_t, 1, int, 2, 8, 16,
      asm("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
          : "+r"(c[0]), "+r"(c[1])
          : "r"(a[0]), "r"(b[0])));
SHAPE(Signed16, Bytes16, int8_t, int, uint32_t, 2, uint32_t, 1, int, 4, 16, 16,
      asm("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5}, {%6}, {%0,%1,%2,%3};" OUT4(
              "r")
          : "r"(a[0]), "r"(a[1]), "r"(b[0])));
SHAPE(Signed32, Bytes32, int8_t, int, uint32_t, 4, uint32_t, 2, int, 4, 16, 32,
      asm("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};" OUT4(
              "r")
          : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1])));
SHAPE(Double16, Doubles16, double, double, double, 8, double, 4, double, 4, 16, 16,
      asm("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0,%1,%2,%3}, {%4,%5,%6,%7,%8,%9,%10,%11}, "
          "{%12,%13,%14,%15}, {%0,%1,%2,%3};" OUT4("d")
          : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]),
            "d"(b[1]), "d"(b[2]), "d"(b[3])));

// The lanes write d by row.
template <class S>
__global__ void product(const int* a, const int* b, const int* c, int* d) {
  using T = typename S::Element;
  using Sum = typename S::SumElement;
  typename S::A a_part[S::kA];
  typename S::B b_part[S::kB];
  typename S::C c_part[S::kC];
  const int l = threadIdx.x;
  for (int i = 0; i < static_cast<int>(sizeof a_part / sizeof(T)); ++i) {
    const At at = S::Places::a(l, i);
    element<T>(a_part, i) = number<T>(a[at.row * S::k + at.column]);
  }
  for (int i = 0; i < static_cast<int>(sizeof b_part / sizeof(T)); ++i) {
    const At at = S::Places::b(l, i);
    element<T>(b_part, i) = number<T>(b[at.row * S::n + at.column]);
  }
  for (int i = 0; i < static_cast<int>(sizeof c_part / sizeof(Sum)); ++i) {
    const At at = sum_at(l, i);
    element<Sum>(c_part, i) = number<Sum>(c[at.row * S::n + at.column]);
  }
  S::run(a_part, b_part, c_part);
  for (int i = 0; i < static_cast<int>(sizeof c_part / sizeof(Sum)); ++i) {
    const At at = sum_at(l, i);
    d[at.row * S::n + at.column] = whole(element<Sum>(c_part, i));
  }
}

// Four matrices of 8 x 8 halves in shared memory, to the registers of the warp and back, as they are and transposed.
template <bool kTransposed>
__global__ void matrices_of_8(int* loaded, int* stored) {
  __shared__ __align__(16) uint16_t s_in[256], s_out[256];
  const int l = threadIdx.x;
  for (int i = l; i < 256; i += 32) s_in[i] = static_cast<uint16_t>(i), s_out[i] = 0;
  // Every lane reads rows that others have stored.
  __syncwarp();
  const auto row = static_cast<uint32_t>(__cvta_generic_to_shared(s_in + 8 * l));
  uint32_t r[4] = {};
  if (kTransposed)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(row)
                 : "memory");
  for (int i = 0; i < 8; ++i) loaded[8 * l + i] = reinterpret_cast<uint16_t*>(r)[i];
  const auto to = static_cast<uint32_t>(__cvta_generic_to_shared(s_out + 8 * l));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1,%2};" ::"r"(to), "r"(r[0]), "r"(r[1]) : "memory");
  // Every lane reads what others have stored.
  __syncwarp();
  for (int i = l; i < 256; i += 32) stored[i] = s_out[i];
}

struct Ints {
  int* d = nullptr;
  explicit Ints(const std::vector<int>& values) {
    CUDA_CHECK(cudaMalloc(&d, values.size() * sizeof(int)));
    CUDA_CHECK(cudaMemcpy(d, values.data(), values.size() * sizeof(int), cudaMemcpyHostToDevice));
  }
  ~Ints() { CUDA_CHECK(cudaFree(d)); }
  std::vector<int> read(size_t count) const {
    std::vector<int> values(count);
    CUDA_CHECK(cudaMemcpy(values.data(), d, count * sizeof(int), cudaMemcpyDeviceToHost));
    return values;
  }
};

template <class S>
static void check(const char* what) {
  const std::vector<int> a = random_ints(S::m * S::k, -3, 4, 1), b = random_ints(S::k * S::n, -3, 4, 2),
                         c = random_ints(S::m * S::n, -50, 50, 3);
  const Ints d_a(a), d_b(b), d_c(c), d_d(c);
  product<S><<<1, 32>>>(d_a.d, d_b.d, d_c.d, d_d.d);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want = c;
  for (int row = 0; row < S::m; ++row)
    for (int column = 0; column < S::n; ++column)
      for (int k = 0; k < S::k; ++k) want[row * S::n + column] += a[row * S::k + k] * b[k * S::n + column];
  expect_equal(what, d_d.read(want.size()), want);
}

template <bool kTransposed>
static void check_matrices() {
  const Ints loaded(std::vector<int>(256)), stored(std::vector<int>(256));
  matrices_of_8<kTransposed><<<1, 32>>>(loaded.d, stored.d);
  CUDA_CHECK(cudaGetLastError());
  std::vector<int> want(256), back(256);
  for (int lane = 0; lane < 32; ++lane)
    for (int i = 0; i < 8; ++i) {
      const int along = lane % 4 * 2 + i % 2, across = lane / 4;
      want[8 * lane + i] = i / 2 * 64 + (kTransposed ? along * 8 + across : across * 8 + along);
    }
  for (int i = 0; i < 128; ++i) {  // x2: two matrices; each was transposed on its way in
    const int row = i % 64 / 8, column = i % 8;
    back[i] = i / 64 * 64 + (kTransposed ? column * 8 + row : row * 8 + column);
  }
  expect_equal("ldmatrix", loaded.read(256), want);
  expect_equal("stmatrix", stored.read(256), back);
}

int main() {
  check<HalfFloat8>("m16n8k8 of halves");
  check<HalfHalf16>("m16n8k16 of halves, sums of halves");
  check<HalfFloat16>("m16n8k16 of halves");
  check<Bfloat8>("m16n8k8 of bfloats");
  check<Bfloat16>("m16n8k16 of bfloats");
  check<Tf32x4>("m16n8k4 of tf32");
  check<Tf32x8>("m16n8k8 of tf32");
  check<Double4>("m8n8k4 of doubles");
  check<Double8>("m16n8k8 of doubles");
  check<Double16>("m16n8k16 of doubles");
  check<Signed8>("m8n8k16 of bytes");
  check<Signed16>("m16n8k16 of bytes");
  check<Signed32>("m16n8k32 of bytes");
  check_matrices<false>();
  check_matrices<true>();
  return verdict("tensor_core_layouts");
}
