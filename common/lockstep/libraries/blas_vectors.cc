// blas_vectors: level 1 of cuBLAS. Sums are made in pairs, whose rounding errors grow with the logarithm of n.
#include <algorithm>
#include <cmath>
#include <utility>

#include "libraries/blas.h"

namespace lockstep::libraries {
namespace {

// The sum of term(i) for begin <= i < end.
template <typename T, typename Term>
T sum(size_t begin, size_t end, const Term& term) {
  if (end - begin > 16) {
    const size_t middle = begin + (end - begin) / 2;
    return sum<T>(begin, middle, term) + sum<T>(middle, end, term);
  }
  T total{};
  for (size_t i = begin; i < end; ++i) total += term(i);
  return total;
}

template <typename T>
using Part = decltype(std::abs(T{}));  // of a complex number: its real part's type

template <typename T>
Part<T> size_of(T value) {
  if constexpr (kComplex<T>) return std::abs(value.real()) + std::abs(value.imag());
  return std::abs(value);
}

template <typename T>
void dot(cublasHandle_t handle, const Vector& x, const Vector& y, const Scalar& result, bool conjugated) {
  require(result.data != nullptr);
  const std::vector<T> a = fetch<T>(handle, x), b = fetch<T>(handle, y);
  const auto product = [&](size_t i) { return (conjugated ? conjugate(a[i]) : a[i]) * b[i]; };
  store(handle, sum<T>(0, a.size(), product), result);
}

template <typename T>
void axpy(cublasHandle_t handle, const Scalar& alpha, const Vector& x, const Vector& y) {
  const T factor = fetch<T>(handle, alpha);
  if (factor == T{}) return;
  const std::vector<T> a = fetch<T>(handle, x);
  std::vector<T> b = fetch<T>(handle, y);
  // With step 0 the one element gets every product, as on a card.
  for (size_t i = 0; i < a.size(); ++i) b[y.step == 0 ? b.size() - 1 : i] += factor * a[i];
  store(handle, b, y);
}

// Functions of one vector do nothing if its step is not positive.
Vector forward(const Vector& x) { return x.step > 0 ? x : Vector{x.data, x.type, 0, 1}; }

template <typename T, typename Factor>
void scale(cublasHandle_t handle, const Scalar& alpha, const Vector& x) {
  const Factor factor = fetch<Factor>(handle, alpha);
  std::vector<T> values = fetch<T>(handle, forward(x));
  for (T& value : values) value *= factor;
  store(handle, values, forward(x));
}

// Scaled by a power of two, so that no square overflows or vanishes.
template <typename T>
void norm(cublasHandle_t handle, const Vector& x, const Scalar& result) {
  require(result.data != nullptr);
  const std::vector<T> values = fetch<T>(handle, forward(x));
  Part<T> largest = 0;
  for (const T& value : values)
    largest = std::isnan(size_of(value)) ? size_of(value) : std::max(largest, size_of(value));
  if (largest == 0 || !std::isfinite(largest)) return store(handle, largest, result);
  const int exponent = std::ilogb(largest);
  const auto square = [&](size_t i) { return std::norm(values[i] * std::ldexp(Part<T>{1}, -exponent)); };
  store(handle, std::ldexp(std::sqrt(sum<Part<T>>(0, values.size(), square)), exponent), result);
}

template <typename T>
void absolute_sum(cublasHandle_t handle, const Vector& x, const Scalar& result) {
  require(result.data != nullptr);
  const std::vector<T> values = fetch<T>(handle, forward(x));
  store(handle, sum<Part<T>>(0, values.size(), [&](size_t i) { return size_of(values[i]); }), result);
}

// The index of the first largest or smallest element, counted from 1; 0 if there is none.
template <typename T, typename Index>
void extreme(cublasHandle_t handle, const Vector& x, Index* result, bool largest) {
  require(result != nullptr);
  const std::vector<T> values = fetch<T>(handle, forward(x));
  const auto smaller = [](const T& a, const T& b) { return size_of(a) < size_of(b); };
  const auto found = largest ? std::ranges::max_element(values, smaller) : std::ranges::min_element(values, smaller);
  const auto index = values.empty() ? Index{0} : static_cast<Index>(found - values.begin() + 1);
  if (handle->pointers == CUBLAS_POINTER_MODE_HOST) return void(*result = index);
  require(cudaMemcpyAsync(result, &index, sizeof index, cudaMemcpyHostToDevice, handle->stream) == cudaSuccess,
          CUBLAS_STATUS_EXECUTION_FAILED);
}

template <typename T>
void rotate(cublasHandle_t handle, const Vector& x, const Vector& y, const Scalar& cosine, const Scalar& sine) {
  const T c = fetch<T>(handle, cosine), s = fetch<T>(handle, sine);
  std::vector<T> a = fetch<T>(handle, x), b = fetch<T>(handle, y);
  for (size_t i = 0; i < a.size(); ++i)
    std::tie(a[i], b[i]) = std::pair(T(c * a[i] + s * b[i]), T(c * b[i] - s * a[i]));
  store(handle, a, x);
  store(handle, b, y);
}

template <typename T>
void swap(cublasHandle_t handle, const Vector& x, const Vector& y) {
  const std::vector<T> a = fetch<T>(handle, x), b = fetch<T>(handle, y);
  store(handle, b, x);
  store(handle, a, y);
}

// run(value of this type): a function may compute in it.
template <typename Run>
void execute(cudaDataType type, Run&& run) {
  switch (type) {
    case CUDA_R_32F: return run(float{});
    case CUDA_R_64F: return run(double{});
    case CUDA_C_32F: return run(std::complex<float>{});
    case CUDA_C_64F: return run(std::complex<double>{});
    default: throw Stop{CUBLAS_STATUS_NOT_SUPPORTED};
  }
}

}  // namespace
}  // namespace lockstep::libraries

using namespace lockstep::libraries;

#define LOCKSTEP_DOT(name, conjugated, T, width, Int)                                                               \
  cublasStatus_t cublas##name##_v2##width(cublasHandle_t handle, Int n, const T* x, Int incx, const T* y, Int incy, \
                                          T* result) {                                                              \
    return compute(handle, [&] {                                                                                    \
      dot<Host<T>>(handle, {x, kType<T>, n, incx}, {y, kType<T>, n, incy}, {result, kType<T>}, conjugated);         \
    });                                                                                                             \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Sdot, false, float)
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Ddot, false, double)
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Cdotu, false, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Cdotc, true, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Zdotu, false, cuDoubleComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_DOT, Zdotc, true, cuDoubleComplex)

#define LOCKSTEP_TWO_VECTORS(letter, T, width, Int)                                                                   \
  cublasStatus_t cublas##letter##axpy_v2##width(cublasHandle_t handle, Int n, const T* alpha, const T* x, Int incx,   \
                                                T* y, Int incy) {                                                     \
    return compute(handle, [&] {                                                                                      \
      axpy<Host<T>>(handle, {alpha, kType<T>}, {x, kType<T>, n, incx}, {y, kType<T>, n, incy});                       \
    });                                                                                                               \
  }                                                                                                                   \
  cublasStatus_t cublas##letter##copy_v2##width(cublasHandle_t handle, Int n, const T* x, Int incx, T* y, Int incy) { \
    return compute(handle, [&] {                                                                                      \
      store(handle, fetch<Host<T>>(handle, Vector{x, kType<T>, n, incx}), Vector{y, kType<T>, n, incy});              \
    });                                                                                                               \
  }                                                                                                                   \
  cublasStatus_t cublas##letter##swap_v2##width(cublasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy) {       \
    return compute(handle, [&] { swap<Host<T>>(handle, {x, kType<T>, n, incx}, {y, kType<T>, n, incy}); });           \
  }
LOCKSTEP_EACH_TYPE(LOCKSTEP_TWO_VECTORS)

#define LOCKSTEP_EXTREME(name, largest, T, width, Int)                                                       \
  cublasStatus_t cublas##name##_v2##width(cublasHandle_t handle, Int n, const T* x, Int incx, Int* result) { \
    return compute(handle, [&] { extreme<Host<T>>(handle, {x, kType<T>, n, incx}, result, largest); });      \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Isamax, true, float)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Idamax, true, double)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Icamax, true, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Izamax, true, cuDoubleComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Isamin, false, float)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Idamin, false, double)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Icamin, false, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_EXTREME, Izamin, false, cuDoubleComplex)

#define LOCKSTEP_SIZES(letters, T, Real, width, Int)                                                                 \
  cublasStatus_t cublas##letters##nrm2_v2##width(cublasHandle_t handle, Int n, const T* x, Int incx, Real* result) { \
    return compute(handle, [&] { norm<Host<T>>(handle, {x, kType<T>, n, incx}, {result, kType<Real>}); });           \
  }                                                                                                                  \
  cublasStatus_t cublas##letters##asum_v2##width(cublasHandle_t handle, Int n, const T* x, Int incx, Real* result) { \
    return compute(handle, [&] { absolute_sum<Host<T>>(handle, {x, kType<T>, n, incx}, {result, kType<Real>}); });   \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_SIZES, S, float, float)
LOCKSTEP_WIDTHS(LOCKSTEP_SIZES, D, double, double)
LOCKSTEP_WIDTHS(LOCKSTEP_SIZES, Sc, cuComplex, float)
LOCKSTEP_WIDTHS(LOCKSTEP_SIZES, Dz, cuDoubleComplex, double)

#define LOCKSTEP_SCAL(letters, T, Factor, width, Int)                                                                 \
  cublasStatus_t cublas##letters##scal_v2##width(cublasHandle_t handle, Int n, const Factor* alpha, T* x, Int incx) { \
    return compute(handle, [&] {                                                                                      \
      scale<Host<T>, Host<Factor>>(handle, {alpha, kType<Factor>}, {x, kType<T>, n, incx});                           \
    });                                                                                                               \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, S, float, float)
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, D, double, double)
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, C, cuComplex, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, Z, cuDoubleComplex, cuDoubleComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, Cs, cuComplex, float)
LOCKSTEP_WIDTHS(LOCKSTEP_SCAL, Zd, cuDoubleComplex, double)

#define LOCKSTEP_ROT(letter, T, width, Int)                                                                  \
  cublasStatus_t cublas##letter##rot_v2##width(cublasHandle_t handle, Int n, T* x, Int incx, T* y, Int incy, \
                                               const T* c, const T* s) {                                     \
    return compute(handle, [&] {                                                                             \
      rotate<T>(handle, {x, kType<T>, n, incx}, {y, kType<T>, n, incy}, {c, kType<T>}, {s, kType<T>});       \
    });                                                                                                      \
  }
LOCKSTEP_REAL(LOCKSTEP_ROT)

// It computes in the type `by`, and rounds to that of the result.
#define LOCKSTEP_DOT_EX(width, Int)                                                                             \
  cublasStatus_t cublasDotEx##width(cublasHandle_t handle, Int n, const void* x, cudaDataType x_type, Int incx, \
                                    const void* y, cudaDataType y_type, Int incy, void* result,                 \
                                    cudaDataType result_type, cudaDataType by) {                                \
    return compute(handle, [&] {                                                                                \
      execute(by, [&]<typename T>(T) {                                                                          \
        dot<T>(handle, {x, x_type, n, incx}, {y, y_type, n, incy}, {result, result_type}, false);               \
      });                                                                                                       \
    });                                                                                                         \
  }
LOCKSTEP_DOT_EX(, int)
LOCKSTEP_DOT_EX(_64, int64_t)
