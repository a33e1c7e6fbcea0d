// CUDA's mathematical library, which the compiler inlines as long polynomials, argument reductions in local memory,
// fused multiplications and bit tricks: every function against the C library's, over ordinary and awkward arguments.
#include <algorithm>
#include <string>

#include "expect.h"

// The bounds are a little above those of the CUDA C++ Programming Guide (section on mathematical functions), since
// the C library may be off by half a unit in the last place as well.
constexpr double kFloatUnit = 1.2e-7, kDoubleUnit = 2.3e-16;

#define FLOAT_FUNCTIONS(apply)                                                                                       \
  apply(sinf, 3) apply(cosf, 3) apply(tanf, 5) apply(expf, 3) apply(exp2f, 3) apply(logf, 3) apply(log10f, 4)        \
      apply(sqrtf, 1) apply(cbrtf, 2) apply(erff, 3) apply(tanhf, 3) apply(asinf, 5) apply(atanf, 3) apply(sinhf, 4) \
          apply(lgammaf, 8) apply(log1pf, 3) apply(expm1f, 3) apply(rintf, 1) apply(floorf, 1) apply(truncf, 1)
#define DOUBLE_FUNCTIONS(apply)                                                                                     \
  apply(sin, 4) apply(cos, 4) apply(tan, 5) apply(exp, 3) apply(log, 3) apply(sqrt, 1) apply(cbrt, 3) apply(erf, 4) \
      apply(tanh, 4) apply(atan, 4) apply(log1p, 3) apply(expm1, 3) apply(rint, 1) apply(ceil, 1) apply(round, 1)

enum Function {
#define NAME(f, units) kFunction_##f,
  FLOAT_FUNCTIONS(NAME) DOUBLE_FUNCTIONS(NAME)
#undef NAME
};

__global__ void apply_float(const float* x, int n, int function, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (function) {
#define CASE(f, units) \
  case kFunction_##f: y[i] = f(x[i]); break;
    FLOAT_FUNCTIONS(CASE)
#undef CASE
  }
}

__global__ void apply_double(const double* x, int n, int function, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  switch (function) {
#define CASE(f, units) \
  case kFunction_##f: y[i] = f(x[i]); break;
    DOUBLE_FUNCTIONS(CASE)
#undef CASE
  }
}

// Of two arguments: pow, fmod, atan2, hypot, and the remainder of fma.
__global__ void apply_pairs(const double* x, int n, double* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  const double a = fabs(x[i]), b = x[n - 1 - i];
  y[5 * i] = pow(a, b * 1e-3);
  y[5 * i + 1] = fmod(x[i], b + 0.5);
  y[5 * i + 2] = atan2(x[i], b);
  y[5 * i + 3] = hypot(a, b);
  y[5 * i + 4] = powf(static_cast<float>(a), 1.25f);
}

template <class T, class F>
void compare(const char* name, const std::vector<T>& x, const std::vector<T>& got, F reference, double units) {
  const double unit = sizeof(T) == 4 ? kFloatUnit : kDoubleUnit;
  for (size_t i = 0; i < x.size(); ++i) {
    const T want = reference(x[i]);
    if (std::isnan(want) ? std::isnan(got[i]) : got[i] == want) continue;
    if (std::abs(double(got[i]) - double(want)) <= units * unit * std::abs(double(want)) + 1e-300) continue;
    std::printf("%s(%.9g): got %.17g, want %.17g\n", name, double(x[i]), double(got[i]), double(want));
    ++failures;
    return;
  }
}

template <class T>
struct Buffers {
  T *in = nullptr, *out = nullptr;
  Buffers(const std::vector<T>& x, size_t outputs) {
    CUDA_CHECK(cudaMalloc(&in, x.size() * sizeof(T)));
    CUDA_CHECK(cudaMalloc(&out, outputs * sizeof(T)));
    CUDA_CHECK(cudaMemcpy(in, x.data(), x.size() * sizeof(T), cudaMemcpyHostToDevice));
  }
  ~Buffers() {
    cudaFree(in);
    cudaFree(out);
  }
  std::vector<T> result(size_t n) const {
    std::vector<T> values(n);
    CUDA_CHECK(cudaMemcpy(values.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
    return values;
  }
};

template <class T>
std::vector<T> arguments() {
  std::vector<T> x = {0, -0.0, 1, -1, 0.5, 2, 10, -10, 30, 1e-5, -1e-30, 100000, 3e7, INFINITY, -INFINITY, NAN};
  for (const int v : random_ints(200, -1'000'000, 1'000'000, 12))
    x.push_back(static_cast<T>(v) * static_cast<T>(3.7e-5));
  return x;
}

int main() {
  const std::vector<float> floats = arguments<float>();
  const std::vector<double> doubles = arguments<double>();
  const int n = static_cast<int>(floats.size());
  const Buffers<float> f32(floats, n);
  const Buffers<double> f64(doubles, 5 * n);
#define CHECK(f, units)                                       \
  apply_float<<<2, 128>>>(f32.in, n, kFunction_##f, f32.out); \
  CUDA_CHECK(cudaGetLastError());                             \
  compare(                                                    \
      #f, floats, f32.result(n), [](float x) { return f(x); }, units);
  FLOAT_FUNCTIONS(CHECK)
#undef CHECK
#define CHECK(f, units)                                        \
  apply_double<<<2, 128>>>(f64.in, n, kFunction_##f, f64.out); \
  CUDA_CHECK(cudaGetLastError());                              \
  compare(                                                     \
      #f, doubles, f64.result(n), [](double x) { return f(x); }, units);
  DOUBLE_FUNCTIONS(CHECK)
#undef CHECK

  const std::vector<double> ordinary(doubles.begin() + 16, doubles.end());
  const int m = static_cast<int>(ordinary.size());
  const Buffers<double> pairs(ordinary, 5 * m);
  apply_pairs<<<2, 128>>>(pairs.in, m, pairs.out);
  CUDA_CHECK(cudaGetLastError());
  const std::vector<double> got = pairs.result(5 * m);
  for (int i = 0; i < m; ++i) {
    const double a = std::abs(ordinary[i]), b = ordinary[m - 1 - i];
    expect_near("pow", got[5 * i], std::pow(a, b * 1e-3), 6e-16);
    expect_near("fmod", got[5 * i + 1], std::fmod(ordinary[i], b + 0.5), 0);
    expect_near("atan2", got[5 * i + 2], std::atan2(ordinary[i], b), 6e-16);
    expect_near("hypot", got[5 * i + 3], std::hypot(a, b), 6e-16);
    expect_near("powf", got[5 * i + 4], std::pow(static_cast<float>(a), 1.25f), 8e-7);
  }
  return verdict("math_functions");
}
