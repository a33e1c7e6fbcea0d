// The card's approximations, to the last bit. The sums are those of an H200.
//
// Floats: each function of every 4099th argument, with the argument `all` of every one (2^32). Halves: of every one.
// Doubles: 1/x for x in [1, 2), and 1/sqrt(x) for x in [1, 4), for every upper word of a significand.
// Also for compute_90

#include <cstdint>
#include <cstring>
#include <vector>

#include "expect.h"

using Word = unsigned long long;

__device__ Word mixed(unsigned result, Word argument) {
  return (result * 0x9e3779b97f4a7c15 ^ argument * 0xc2b2ae3d27d4eb4f) >> 7;
}

#define FUNCTION(name, instruction)                                             \
  struct name {                                                                 \
    __device__ unsigned operator()(unsigned x) const {                          \
      float result;                                                             \
      asm(instruction ".f32 %0, %1;" : "=f"(result) : "f"(__uint_as_float(x))); \
      return __float_as_uint(result);                                           \
    }                                                                           \
  };
FUNCTION(Rcp, "rcp.approx")
FUNCTION(RcpFtz, "rcp.approx.ftz")
FUNCTION(Sqrt, "sqrt.approx")
FUNCTION(SqrtFtz, "sqrt.approx.ftz")
FUNCTION(Rsqrt, "rsqrt.approx")
FUNCTION(RsqrtFtz, "rsqrt.approx.ftz")
FUNCTION(Ex2, "ex2.approx")
FUNCTION(Ex2Ftz, "ex2.approx.ftz")
FUNCTION(Lg2, "lg2.approx")
FUNCTION(Lg2Ftz, "lg2.approx.ftz")
FUNCTION(Sin, "sin.approx")
FUNCTION(SinFtz, "sin.approx.ftz")
FUNCTION(Cos, "cos.approx")
FUNCTION(CosFtz, "cos.approx.ftz")
FUNCTION(Tanh, "tanh.approx")

// Quotients of two arguments that come from one.
#define QUOTIENT(name, instruction)                                                         \
  struct name {                                                                             \
    __device__ unsigned operator()(unsigned x) const {                                      \
      float result;                                                                         \
      const float b = __uint_as_float((x ^ x >> 15) * 0x2c1b3c6d);                          \
      asm(instruction ".f32 %0, %1, %2;" : "=f"(result) : "f"(__uint_as_float(x)), "f"(b)); \
      return __float_as_uint(result);                                                       \
    }                                                                                       \
  };
QUOTIENT(Div, "div.approx")
QUOTIENT(DivFtz, "div.approx.ftz")
QUOTIENT(DivFull, "div.full")
QUOTIENT(DivFullFtz, "div.full.ftz")

#ifdef __CUDA_ARCH__
constexpr int kArchitecture = __CUDA_ARCH__ / 10;
#else
constexpr int kArchitecture = 0;
#endif

#define HALF(name, instruction, architecture)                                                           \
  struct name {                                                                                         \
    __device__ unsigned operator()(unsigned short x) const {                                            \
      unsigned short result = 0;                                                                        \
      if constexpr (kArchitecture >= architecture) asm(instruction " %0, %1;" : "=h"(result) : "h"(x)); \
      return result;                                                                                    \
    }                                                                                                   \
  };
HALF(HalfEx2, "ex2.approx.f16", 75)
HALF(HalfTanh, "tanh.approx.f16", 75)
HALF(BfloatEx2, "ex2.approx.ftz.bf16", 90)
HALF(BfloatTanh, "tanh.approx.bf16", 90)

constexpr unsigned kBlocks = 1 << 7, kThreads = 1 << 8;

template <class Function>
__global__ void sum_of_floats(Word step, Word* sum) {
  const Function function;
  Word mine = 0;
  for (Word x = (blockIdx.x * kThreads + threadIdx.x) * step; x < Word{1} << 32; x += kBlocks * kThreads * step)
    mine += mixed(function(unsigned(x)), x);
  atomicAdd(sum, mine);
}

template <class Function>
__global__ void sum_of_halves(Word* sum) {
  const unsigned x = blockIdx.x * kThreads + threadIdx.x;
  atomicAdd(sum, mixed(Function()(x), x));
}

struct Sums {
  Word step;
  Word* device;
  bool is_all() const { return step == 1; }
};

Word fetched(const Word* sum) {
  Word got = 0;
  CUDA_CHECK(cudaMemcpy(&got, sum, sizeof got, cudaMemcpyDeviceToHost));
  return got;
}
void compare(const char* name, Word got, Word card) {
  if (got == card) return;
  std::printf("%s: the sum is 0x%016llx, on the card 0x%016llx\n", name, got, card);
  ++failures;
}

// `some`, `all`: an H200's.
template <class Function>
void expect_sum(const Sums& sums, const char* name, Word some, Word all) {
  CUDA_CHECK(cudaMemset(sums.device, 0, sizeof(Word)));
  sum_of_floats<Function><<<kBlocks, kThreads>>>(sums.step, sums.device);
  compare(name, fetched(sums.device), sums.is_all() ? all : some);
}

template <class Function>
void expect_sum_of_halves(Word* device, const char* name, Word card) {
  CUDA_CHECK(cudaMemset(device, 0, sizeof(Word)));
  sum_of_halves<Function><<<(1 << 16) / kThreads, kThreads>>>(device);
  compare(name, fetched(device), card);
}

__device__ double inverse(double x) {
  double result;
  asm("rcp.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}
__device__ double inverse_root(double x) {
  double result;
  asm("rsqrt.approx.ftz.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}
__device__ double precise_inverse_root(double x) {
  double result;
  asm("rsqrt.approx.f64 %0, %1;" : "=d"(result) : "d"(x));
  return result;
}

__global__ void sum_of_doubles(Word* sums) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  const double one = __hiloint2double(int(1023 << 20 | i), int(i)), two = 2 * one;
  atomicAdd(&sums[0], mixed(__double2hiint(inverse(one)), i));
  atomicAdd(&sums[1], mixed(__double2hiint(inverse_root(one)), i));
  atomicAdd(&sums[2], mixed(__double2hiint(inverse_root(two)), i));
  const Word precise = __double_as_longlong(precise_inverse_root(one)) ^ __double_as_longlong(precise_inverse_root(two))
                                                                             << 1;
  atomicAdd(&sums[3], mixed(unsigned(precise >> 32) ^ unsigned(precise), i));
}

__global__ void of_each(const Word* x, Word* inverses, Word* roots, Word* precise_roots) {
  const double one = __longlong_as_double(x[threadIdx.x]);
  inverses[threadIdx.x] = __double_as_longlong(inverse(one));
  roots[threadIdx.x] = __double_as_longlong(inverse_root(one));
  precise_roots[threadIdx.x] = __double_as_longlong(precise_inverse_root(one));
}

void expect_floats(const Sums& sums) {
  expect_sum<Rcp>(sums, "Rcp", 0xba6ae8723930f9aa, 0xfde043b59e8c3d30);
  expect_sum<RcpFtz>(sums, "RcpFtz", 0xc6b5c1fdbb6544e8, 0xffc0f5029187a782);
  expect_sum<Sqrt>(sums, "Sqrt", 0xecc8e2ec9547b32a, 0x41075749f82736ce);
  expect_sum<SqrtFtz>(sums, "SqrtFtz", 0x06eebca304ab1959, 0xb8b8438140100120);
  expect_sum<Rsqrt>(sums, "Rsqrt", 0x775ad4ae05911568, 0xf47d69dfa0619711);
  expect_sum<RsqrtFtz>(sums, "RsqrtFtz", 0x9d717910147058dd, 0x1914ed44be0dfef0);
  expect_sum<Ex2>(sums, "Ex2", 0xcdf3c0a2df4b765d, 0xd97105109b712fd6);
  expect_sum<Ex2Ftz>(sums, "Ex2Ftz", 0xe116d898ed30904b, 0x4eea556b609be5ed);
  expect_sum<Lg2>(sums, "Lg2", 0x50e194335fde4c95, 0x1eeb95aa067d2d11);
  expect_sum<Lg2Ftz>(sums, "Lg2Ftz", 0x7fd000f966aa47a7, 0xc55789fa9d1001db);
  expect_sum<Sin>(sums, "Sin", 0x93cf450355be9e89, 0x1a21f9311cc51360);
  expect_sum<SinFtz>(sums, "SinFtz", 0x93cf450355be9e89, 0x1a21f9311cc51360);
  expect_sum<Cos>(sums, "Cos", 0x0480fdcca0743248, 0x3bd7c3544bcbd93a);
  expect_sum<CosFtz>(sums, "CosFtz", 0x0480fdcca0743248, 0x3bd7c3544bcbd93a);
  expect_sum<Tanh>(sums, "Tanh", 0x8360da9f09d03e58, 0xce8e467f1404ac3e);
  expect_sum<Div>(sums, "Div", 0xbf5cc884bbe95d03, 0x415efdf3fb4eb1e6);
  expect_sum<DivFtz>(sums, "DivFtz", 0x873810d4386ad7da, 0xcf39edb15bcb3635);
  expect_sum<DivFull>(sums, "DivFull", 0xb3f6b390f9ac1652, 0xee3f6d6aa21c6a6c);
  expect_sum<DivFullFtz>(sums, "DivFullFtz", 0x69030a39938356c0, 0x38212d0486c4c77b);
}

void expect_halves(Word* device) {
  expect_sum_of_halves<HalfEx2>(device, "HalfEx2", 0x25240a9490738b56);
  expect_sum_of_halves<HalfTanh>(device, "HalfTanh", 0x42e3abe5d6048d00);
  cudaFuncAttributes attributes{};
  CUDA_CHECK(cudaFuncGetAttributes(&attributes, sum_of_halves<BfloatEx2>));
  if (attributes.ptxVersion < 90) return;
  expect_sum_of_halves<BfloatEx2>(device, "BfloatEx2", 0xf4504eff0964b4c3);
  expect_sum_of_halves<BfloatTanh>(device, "BfloatTanh", 0x021806db7975a7f6);
}

void expect_doubles(Word* device) {
  CUDA_CHECK(cudaMemset(device, 0, 4 * sizeof(Word)));
  sum_of_doubles<<<4096, 256>>>(device);
  std::vector<Word> sums(4);
  CUDA_CHECK(cudaMemcpy(sums.data(), device, sums.size() * sizeof(Word), cudaMemcpyDeviceToHost));
  expect_equal("sums", sums, {0xea945749a952f99f, 0x660ce84a113da847, 0xad8d09266be1bdfa, 0x7ddca64303b0737d});

  const struct {
    Word x, inverse, root, precise_root;
  } kMeasured[] = {{0x0000000000000000, 0x7ff0000000000000, 0x7ff0000000000000, 0x7ff0000000000000},
                   {0x8000000000000000, 0xfff0000000000000, 0xfff0000000000000, 0xfff0000000000000},
                   {0x8000000000000001, 0xfff0000000000000, 0xfff0000000000000, 0xfff8000000000000},
                   {0x000fffffffffffff, 0x7ff0000000000000, 0x7ff0000000000000, 0x5fe0000000000001},
                   {0x0010000000000000, 0x7fd0000000000000, 0x5fe0000000000000, 0x5fe0000000000000},
                   {0x7fefffffffffffff, 0x0000000000000000, 0x1ff0000000000000, 0x1ff0000000000000},
                   {0x7ff0000000000000, 0x0000000000000000, 0x0000000000000000, 0x0000000000000000},
                   {0xfff0000000000000, 0x8000000000000000, 0x7fffffff00000000, 0xfff8000000000000},
                   {0x7ff0000000000001, 0x0000000000000000, 0x0000000000000000, 0x7ff8000000000001},
                   {0xffffffffffffffff, 0x7fffffff00000000, 0x7fffffff00000000, 0xffffffffffffffff},
                   {0x7fd0000000000000, 0x0010000000000000, 0x2000000000000000, 0x2000000000000000},
                   {0x7fe0000000000000, 0x0000000000000000, 0x1ff6a09e00000000, 0x1ff6a09e667f3bcd},
                   {0xbff0000000000000, 0xbff0000000000000, 0x7fffffff00000000, 0xfff8000000000000},
                   {0x0000000000000001, 0x7ff0000000000000, 0x7ff0000000000000, 0x6180000000000000},
                   {0x3ff0000000000001, 0x3ff0000000000000, 0x3ff0000000000000, 0x3fefffffffffffff},
                   {0x4008000000000000, 0x3fd5555500000000, 0x3fe279a700000000, 0x3fe279a74590331c},
                   {0x0008000000000123, 0x7ff0000000000000, 0x7ff0000000000000, 0x5fe6a09e667f3a31},
                   {0x7ff8000012345678, 0x7fffffff00000000, 0x7fffffff00000000, 0x7ff8000012345678}};
  std::vector<Word> x, inverses, roots, precise_roots;
  for (const auto& one : kMeasured) {
    x.push_back(one.x);
    inverses.push_back(one.inverse);
    roots.push_back(one.root);
    precise_roots.push_back(one.precise_root);
  }
  const size_t n = x.size();
  CUDA_CHECK(cudaMemcpy(device, x.data(), n * sizeof(Word), cudaMemcpyHostToDevice));
  of_each<<<1, unsigned(n)>>>(device, device + 32, device + 64, device + 96);
  const auto expect_results = [&](const char* what, const Word* results, const std::vector<Word>& want) {
    std::vector<Word> got(n);
    CUDA_CHECK(cudaMemcpy(got.data(), results, n * sizeof(Word), cudaMemcpyDeviceToHost));
    expect_equal(what, got, want);
  };
  expect_results("inverses", device + 32, inverses);
  expect_results("inverse roots", device + 64, roots);
  expect_results("precise inverse roots", device + 96, precise_roots);
}

int main(int argc, char** argv) {
  const bool all = argc == 2 && std::strcmp(argv[1], "all") == 0;
  Word* device = nullptr;
  CUDA_CHECK(cudaMalloc(&device, 4 * 32 * sizeof(Word)));
  expect_floats({all ? Word{1} : Word{4099}, device});
  expect_halves(device);
  expect_doubles(device);
  return verdict("approximations");
}
