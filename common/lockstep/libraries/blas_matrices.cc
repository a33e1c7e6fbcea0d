// blas_matrices: functions of cuBLAS with a matrix and vectors (gemv, ger), and those of level 3 that are not products
// of two full matrices (geam, trsm).
#include <algorithm>

#include "libraries/blas.h"

namespace lockstep::libraries {
namespace {

int64_t at_least(int64_t rows) { return std::max<int64_t>(1, rows); }

// y = alpha * op(A) * x + beta * y, A of m x n.
template <typename T>
void gemv(cublasHandle_t handle, cublasOperation_t op, const Scalar& alpha, const Matrix& a, const Vector& x,
          const Scalar& beta, const Vector& y) {
  require(is_operation(op) && a.rows >= 0 && a.columns >= 0 && a.leading >= at_least(a.rows));
  require(x.step != 0 && y.step != 0);
  const T factor = fetch<T>(handle, alpha), kept = fetch<T>(handle, beta);
  if (y.count == 0) return;
  std::vector<T> result(static_cast<size_t>(y.count));
  if (factor != T{} && x.count > 0)
    result = multiply(y.count, 1, x.count, applied(op, fetch<T>(handle, a), a.rows, a.columns), fetch<T>(handle, x));
  for (T& value : result) value *= factor;
  if (kept != T{}) {
    const std::vector<T> before = fetch<T>(handle, y);
    for (size_t i = 0; i < result.size(); ++i) result[i] += kept * before[i];
  }
  store(handle, result, y);
}

// A += alpha * x * y^T, or y^H.
template <typename T>
void ger(cublasHandle_t handle, const Scalar& alpha, const Vector& x, const Vector& y, const Matrix& a,
         bool conjugated) {
  require(a.rows >= 0 && a.columns >= 0 && a.leading >= at_least(a.rows) && x.step != 0 && y.step != 0);
  const T factor = fetch<T>(handle, alpha);
  if (a.rows == 0 || a.columns == 0 || factor == T{}) return;
  const std::vector<T> left = fetch<T>(handle, x), right = fetch<T>(handle, y);
  std::vector<T> result = fetch<T>(handle, a);
  auto element = result.begin();
  for (const T& value : right) {
    const T scaled = factor * (conjugated ? conjugate(value) : value);
    for (const T& other : left) *element++ += other * scaled;
  }
  store(handle, result, a);
}

// C = alpha * op(A) + beta * op(B). A factor of 0: the matrix is not read.
template <typename T>
void geam(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, const Scalar& alpha, Matrix a,
          const Scalar& beta, Matrix b, const Matrix& c) {
  require(is_operation(op_a) && is_operation(op_b) && c.rows >= 0 && c.columns >= 0);
  if (op_a != CUBLAS_OP_N) std::swap(a.rows, a.columns);
  if (op_b != CUBLAS_OP_N) std::swap(b.rows, b.columns);
  require(a.leading >= at_least(a.rows) && b.leading >= at_least(b.rows) && c.leading >= at_least(c.rows));
  std::vector<T> result(static_cast<size_t>(c.rows * c.columns));
  const auto add = [&](cublasOperation_t op, const Scalar& factor_at, const Matrix& matrix) {
    const T factor = fetch<T>(handle, factor_at);
    if (factor == T{}) return;
    const std::vector<T> values = applied(op, fetch<T>(handle, matrix), matrix.rows, matrix.columns);
    for (size_t i = 0; i < values.size(); ++i) result[i] += factor * values[i];
  };
  add(op_a, alpha, a);
  add(op_b, beta, b);
  store(handle, result, c);
}

// op(A) * X = alpha * B, or X * op(A) = alpha * B; X takes B's place. Of A only the triangle is used.
template <typename T>
void trsm(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, cublasOperation_t op,
          cublasDiagType_t diagonal, const Scalar& alpha, Matrix a, const Matrix& b) {
  const bool left = side == CUBLAS_SIDE_LEFT;
  require((left || side == CUBLAS_SIDE_RIGHT) && is_operation(op) && b.rows >= 0 && b.columns >= 0);
  require(fill == CUBLAS_FILL_MODE_LOWER || fill == CUBLAS_FILL_MODE_UPPER);
  require(diagonal == CUBLAS_DIAG_NON_UNIT || diagonal == CUBLAS_DIAG_UNIT);
  a.rows = a.columns = left ? b.rows : b.columns;
  require(a.leading >= at_least(a.rows) && b.leading >= at_least(b.rows));
  const T factor = fetch<T>(handle, alpha);
  if (b.rows == 0 || b.columns == 0) return;
  if (factor == T{}) return store(handle, std::vector<T>(static_cast<size_t>(b.rows * b.columns)), b);
  const auto n = static_cast<size_t>(a.rows), systems = static_cast<size_t>(left ? b.columns : b.rows);
  const std::vector<T> triangle = applied(op, fetch<T>(handle, a), a.rows, a.columns);
  std::vector<T> x = fetch<T>(handle, b);
  // Row i of the system: to the right of X, the matrix is op(A) transposed. It is lower if the first unknown stands
  // alone.
  const auto coefficient = [&](size_t i, size_t j) { return left ? triangle[j * n + i] : triangle[i * n + j]; };
  const bool lower = ((fill == CUBLAS_FILL_MODE_LOWER) == (op == CUBLAS_OP_N)) == left;
  for (size_t s = 0; s < systems; ++s) {
    const auto unknown = [&](size_t i) -> T& { return left ? x[s * n + i] : x[i * systems + s]; };
    for (size_t step = 0; step < n; ++step) {
      const size_t i = lower ? step : n - 1 - step;
      T value = factor * unknown(i);
      for (size_t known = 0; known < step; ++known) {
        const size_t j = lower ? known : n - 1 - known;
        value -= coefficient(i, j) * unknown(j);
      }
      unknown(i) = diagonal == CUBLAS_DIAG_UNIT ? value : value / coefficient(i, i);
    }
  }
  store(handle, x, b);
}

}  // namespace
}  // namespace lockstep::libraries

using namespace lockstep::libraries;

#define LOCKSTEP_GER(name, conjugated, T, width, Int)                                                                \
  cublasStatus_t cublas##name##_v2##width(cublasHandle_t handle, Int m, Int n, const T* alpha, const T* x, Int incx, \
                                          const T* y, Int incy, T* a, Int lda) {                                     \
    return compute(handle, [&] {                                                                                     \
      ger<Host<T>>(handle, {alpha, kType<T>}, {x, kType<T>, m, incx}, {y, kType<T>, n, incy},                        \
                   {a, kType<T>, m, n, lda}, conjugated);                                                            \
    });                                                                                                              \
  }
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Sger, false, float)
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Dger, false, double)
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Cgeru, false, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Cgerc, true, cuComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Zgeru, false, cuDoubleComplex)
LOCKSTEP_WIDTHS(LOCKSTEP_GER, Zgerc, true, cuDoubleComplex)

#define LOCKSTEP_MATRICES(letter, T, width, Int)                                                                     \
  cublasStatus_t cublas##letter##gemv_v2##width(cublasHandle_t handle, cublasOperation_t op, Int m, Int n,           \
                                                const T* alpha, const T* a, Int lda, const T* x, Int incx,           \
                                                const T* beta, T* y, Int incy) {                                     \
    const bool plain = op == CUBLAS_OP_N;                                                                            \
    return compute(handle, [&] {                                                                                     \
      gemv<Host<T>>(handle, op, {alpha, kType<T>}, {a, kType<T>, m, n, lda}, {x, kType<T>, plain ? n : m, incx},     \
                    {beta, kType<T>}, {y, kType<T>, plain ? m : n, incy});                                           \
    });                                                                                                              \
  }                                                                                                                  \
  cublasStatus_t cublas##letter##geam##width(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,  \
                                             Int m, Int n, const T* alpha, const T* a, Int lda, const T* beta,       \
                                             const T* b, Int ldb, T* c, Int ldc) {                                   \
    return compute(handle, [&] {                                                                                     \
      geam<Host<T>>(handle, op_a, op_b, {alpha, kType<T>}, {a, kType<T>, m, n, lda}, {beta, kType<T>},               \
                    {b, kType<T>, m, n, ldb}, {c, kType<T>, m, n, ldc});                                             \
    });                                                                                                              \
  }                                                                                                                  \
  cublasStatus_t cublas##letter##trsm_v2##width(cublasHandle_t handle, cublasSideMode_t side, cublasFillMode_t fill, \
                                                cublasOperation_t op, cublasDiagType_t diagonal, Int m, Int n,       \
                                                const T* alpha, const T* a, Int lda, T* b, Int ldb) {                \
    return compute(handle, [&] {                                                                                     \
      trsm<Host<T>>(handle, side, fill, op, diagonal, {alpha, kType<T>}, {a, kType<T>, 0, 0, lda},                   \
                    {b, kType<T>, m, n, ldb});                                                                       \
    });                                                                                                              \
  }
LOCKSTEP_EACH_TYPE(LOCKSTEP_MATRICES)
