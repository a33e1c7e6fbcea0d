// blas_products: products of matrices, level 3 of cuBLAS. Every function is one Product, with the types of its matrices
// and the type of its sums. Each product is rounded and added in ascending order of k.
#include <algorithm>

#include "libraries/blas.h"

namespace lockstep::libraries {
namespace {

// C = alpha * op(A) * op(B) + beta * C. stride: elements between two matrices of a batch.
struct Factor {
  const void* data;
  cudaDataType type;
  int64_t leading;
  cublasOperation_t op = CUBLAS_OP_N;
  int64_t stride = 0;
};
struct Product {
  int64_t m, n, k;
  const void *alpha, *beta;
  Factor a, b, c;
  cublasComputeType_t by;
  int64_t batch = 1;
  bool pointers = false;  // data of a, b and c are arrays of pointers, in the device's memory
};

float to_half(float value) { return __half2float(__float2half(value)); }

// The type of the sums, and of alpha and beta.
enum class Sums { kHalf, kFloat, kDouble, kInteger };
Sums sums_of(cublasComputeType_t by) {
  switch (by) {
    case CUBLAS_COMPUTE_16F:
    case CUBLAS_COMPUTE_16F_PEDANTIC: return Sums::kHalf;
    case CUBLAS_COMPUTE_32F:
    case CUBLAS_COMPUTE_32F_PEDANTIC:
    case CUBLAS_COMPUTE_32F_FAST_16F:  // allows fewer bits, and does not ask for them
    case CUBLAS_COMPUTE_32F_FAST_16BF:
    case CUBLAS_COMPUTE_32F_FAST_TF32: return Sums::kFloat;
    case CUBLAS_COMPUTE_64F:
    case CUBLAS_COMPUTE_64F_PEDANTIC: return Sums::kDouble;
    case CUBLAS_COMPUTE_32I:
    case CUBLAS_COMPUTE_32I_PEDANTIC: return Sums::kInteger;
    default: refuse_with(later("this type of sums"));
  }
}

// The combinations that NVIDIA documents for cublasGemmEx. It has a complex one of bytes, too.
bool fits(Sums sums, cudaDataType factor, cudaDataType result) {
  if (factor == CUDA_C_8I) refuse_with(later("complex bytes"));
  const bool same = factor == result;
  switch (sums) {
    case Sums::kHalf: return same && factor == CUDA_R_16F;
    case Sums::kDouble: return same && (factor == CUDA_R_64F || factor == CUDA_C_64F);
    case Sums::kInteger: return factor == CUDA_R_8I && result == CUDA_R_32I;
    case Sums::kFloat:
      if (factor == CUDA_R_16F || factor == CUDA_R_16BF) return same || result == CUDA_R_32F;
      return factor == CUDA_R_8I ? result == CUDA_R_32F : same && (factor == CUDA_R_32F || factor == CUDA_C_32F);
  }
  return false;
}

template <typename T>
void run(cublasHandle_t handle, const Product& p, cudaDataType scalar, bool halves) {
  const T alpha = fetch<T>(handle, Scalar{p.alpha, scalar}), beta = fetch<T>(handle, Scalar{p.beta, scalar});
  if (p.m == 0 || p.n == 0 || p.batch == 0) return;
  std::vector<const void*> places[3];
  const Factor* const factors[] = {&p.a, &p.b, &p.c};
  for (int f = 0; f < 3; ++f) {
    if (p.pointers) places[f] = fetch_pointers(handle, factors[f]->data, p.batch);
    for (int64_t i = 0; !p.pointers && i < p.batch; ++i)
      places[f].push_back(static_cast<const char*>(factors[f]->data) +
                          i * factors[f]->stride * bytes_of(factors[f]->type));
  }
  const auto operand = [&](const Factor& factor, const void* data, int64_t rows, int64_t columns) {
    if (factor.op != CUBLAS_OP_N) std::swap(rows, columns);
    return applied(factor.op, fetch<T>(handle, Matrix{data, factor.type, rows, columns, factor.leading}), rows,
                   columns);
  };
  for (size_t i = 0; i < static_cast<size_t>(p.batch); ++i) {
    const Matrix c{places[2][i], p.c.type, p.m, p.n, p.c.leading};
    std::vector<T> result(static_cast<size_t>(p.m * p.n));
    if (alpha != T{} && p.k > 0)
      result =
          multiply(p.m, p.n, p.k, operand(p.a, places[0][i], p.m, p.k), operand(p.b, places[1][i], p.k, p.n), halves);
    for (T& value : result) value *= alpha;
    if (beta != T{}) {  // else C may hold anything, also NaN
      const std::vector<T> before = fetch<T>(handle, c);
      for (size_t e = 0; e < result.size(); ++e) result[e] += beta * before[e];
    }
    store(handle, result, c);
  }
}

cublasStatus_t gemm(cublasHandle_t handle, const Product& p, const char* function = __builtin_FUNCTION()) {
  return compute(
      handle,
      [&] {
        require(p.m >= 0 && p.n >= 0 && p.k >= 0 && p.batch >= 0 && is_operation(p.a.op) && is_operation(p.b.op));
        require(p.a.leading >= std::max<int64_t>(1, p.a.op == CUBLAS_OP_N ? p.m : p.k));
        require(p.b.leading >= std::max<int64_t>(1, p.b.op == CUBLAS_OP_N ? p.k : p.n));
        require(p.c.leading >= std::max<int64_t>(1, p.m) && p.alpha != nullptr && p.beta != nullptr);
        const Sums sums = sums_of(p.by);
        require(p.a.type == p.b.type && fits(sums, p.a.type, p.c.type), CUBLAS_STATUS_NOT_SUPPORTED);
        const bool is_complex = p.a.type == CUDA_C_32F || p.a.type == CUDA_C_64F;
        switch (sums) {
          case Sums::kHalf: return run<float>(handle, p, CUDA_R_16F, true);
          case Sums::kInteger: return run<uint32_t>(handle, p, CUDA_R_32I, false);  // sums wrap
          case Sums::kFloat:
            return is_complex ? run<std::complex<float>>(handle, p, CUDA_C_32F, false)
                              : run<float>(handle, p, CUDA_R_32F, false);
          case Sums::kDouble:
            return is_complex ? run<std::complex<double>>(handle, p, CUDA_C_64F, false)
                              : run<double>(handle, p, CUDA_R_64F, false);
        }
      },
      function);
}

}  // namespace

template <typename T>
std::vector<T> multiply(int64_t m, int64_t n, int64_t k, const std::vector<T>& a, const std::vector<T>& b,
                        bool halves) {
  std::vector<T> sums(static_cast<size_t>(m * n));
  constexpr int64_t kRows = 512, kColumns = 8;  // so many sums stay in the nearest cache
  for (int64_t column = 0; column < n; column += kColumns)
    for (int64_t row = 0; row < m; row += kRows) {
      const int64_t rows = std::min(kRows, m - row), end = std::min(column + kColumns, n);
      for (int64_t step = 0; step < k; ++step) {
        const T* const left = &a[static_cast<size_t>(step * m + row)];
        for (int64_t j = column; j < end; ++j) {
          const T right = b[static_cast<size_t>(j * k + step)];
          T* const sum = &sums[static_cast<size_t>(j * m + row)];
          for (int64_t i = 0; i < rows; ++i) sum[i] += left[i] * right;
          if constexpr (std::is_same_v<T, float>)
            if (halves && (step % 16 == 15 || step + 1 == k))
              for (int64_t i = 0; i < rows; ++i) sum[i] = to_half(sum[i]);
        }
      }
    }
  return sums;
}

template <typename T>
std::vector<T> applied(cublasOperation_t op, std::vector<T> matrix, int64_t rows, int64_t columns) {
  if (op == CUBLAS_OP_N) return matrix;
  std::vector<T> turned(matrix.size());
  for (int64_t j = 0; j < columns; ++j)
    for (int64_t i = 0; i < rows; ++i) {
      const T value = matrix[static_cast<size_t>(j * rows + i)];
      turned[static_cast<size_t>(i * columns + j)] = op == CUBLAS_OP_C ? conjugate(value) : value;
    }
  return turned;
}

#define LOCKSTEP_PRODUCTS(T)                                                                                       \
  template std::vector<T> multiply(int64_t, int64_t, int64_t, const std::vector<T>&, const std::vector<T>&, bool); \
  template std::vector<T> applied(cublasOperation_t, std::vector<T>, int64_t, int64_t);
LOCKSTEP_PRODUCTS(float)
LOCKSTEP_PRODUCTS(double)
LOCKSTEP_PRODUCTS(std::complex<float>)
LOCKSTEP_PRODUCTS(std::complex<double>)

}  // namespace lockstep::libraries

using namespace lockstep::libraries;

#define LOCKSTEP_GEMM(name, T, by, width, Int)                                                                       \
  cublasStatus_t name##width(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n,    \
                             Int k, const T* alpha, const T* a, Int lda, const T* b, Int ldb, const T* beta, T* c,   \
                             Int ldc) {                                                                              \
    return gemm(handle,                                                                                              \
                {m, n, k, alpha, beta, {a, kType<T>, lda, op_a}, {b, kType<T>, ldb, op_b}, {c, kType<T>, ldc}, by}); \
  }
#define LOCKSTEP_GEMM_BATCHES(letter, T, by, width, Int)                                                              \
  cublasStatus_t cublas##letter##gemmBatched##width(                                                                  \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const T* alpha,     \
      const T* const a[], Int lda, const T* const b[], Int ldb, const T* beta, T* const c[], Int ldc, Int batch) {    \
    return gemm(handle, {m,                                                                                           \
                         n,                                                                                           \
                         k,                                                                                           \
                         alpha,                                                                                       \
                         beta,                                                                                        \
                         {a, kType<T>, lda, op_a},                                                                    \
                         {b, kType<T>, ldb, op_b},                                                                    \
                         {c, kType<T>, ldc},                                                                          \
                         by,                                                                                          \
                         batch,                                                                                       \
                         true});                                                                                      \
  }                                                                                                                   \
  cublasStatus_t cublas##letter##gemmStridedBatched##width(                                                           \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const T* alpha,     \
      const T* a, Int lda, long long stride_a, const T* b, Int ldb, long long stride_b, const T* beta, T* c, Int ldc, \
      long long stride_c, Int batch) {                                                                                \
    return gemm(handle, {m,                                                                                           \
                         n,                                                                                           \
                         k,                                                                                           \
                         alpha,                                                                                       \
                         beta,                                                                                        \
                         {a, kType<T>, lda, op_a, stride_a},                                                          \
                         {b, kType<T>, ldb, op_b, stride_b},                                                          \
                         {c, kType<T>, ldc, CUBLAS_OP_N, stride_c},                                                   \
                         by,                                                                                          \
                         batch});                                                                                     \
  }
#define LOCKSTEP_GEMMS(letter, name, T, by)   \
  LOCKSTEP_WIDTHS(LOCKSTEP_GEMM, name, T, by) \
  LOCKSTEP_WIDTHS(LOCKSTEP_GEMM_BATCHES, letter, T, by)
LOCKSTEP_GEMMS(S, cublasSgemm_v2, float, CUBLAS_COMPUTE_32F)
LOCKSTEP_GEMMS(D, cublasDgemm_v2, double, CUBLAS_COMPUTE_64F)
LOCKSTEP_GEMMS(C, cublasCgemm_v2, cuComplex, CUBLAS_COMPUTE_32F)
LOCKSTEP_GEMMS(Z, cublasZgemm_v2, cuDoubleComplex, CUBLAS_COMPUTE_64F)
LOCKSTEP_GEMMS(H, cublasHgemm, __half, CUBLAS_COMPUTE_16F)

#define LOCKSTEP_GEMM_EX(width, Int)                                                                                   \
  cublasStatus_t cublasSgemmEx##width(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m,    \
                                      Int n, Int k, const float* alpha, const void* a, cudaDataType a_type, Int lda,   \
                                      const void* b, cudaDataType b_type, Int ldb, const float* beta, void* c,         \
                                      cudaDataType c_type, Int ldc) {                                                  \
    return gemm(                                                                                                       \
        handle,                                                                                                        \
        {m, n, k, alpha, beta, {a, a_type, lda, op_a}, {b, b_type, ldb, op_b}, {c, c_type, ldc}, CUBLAS_COMPUTE_32F}); \
  }                                                                                                                    \
  cublasStatus_t cublasGemmEx##width(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m,     \
                                     Int n, Int k, const void* alpha, const void* a, cudaDataType a_type, Int lda,     \
                                     const void* b, cudaDataType b_type, Int ldb, const void* beta, void* c,           \
                                     cudaDataType c_type, Int ldc, cublasComputeType_t by, cublasGemmAlgo_t) {         \
    return gemm(handle, {m, n, k, alpha, beta, {a, a_type, lda, op_a}, {b, b_type, ldb, op_b}, {c, c_type, ldc}, by}); \
  }                                                                                                                    \
  cublasStatus_t cublasGemmBatchedEx##width(cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b,     \
                                            Int m, Int n, Int k, const void* alpha, const void* const a[],             \
                                            cudaDataType a_type, Int lda, const void* const b[], cudaDataType b_type,  \
                                            Int ldb, const void* beta, void* const c[], cudaDataType c_type, Int ldc,  \
                                            Int batch, cublasComputeType_t by, cublasGemmAlgo_t) {                     \
    return gemm(                                                                                                       \
        handle,                                                                                                        \
        {m, n, k, alpha, beta, {a, a_type, lda, op_a}, {b, b_type, ldb, op_b}, {c, c_type, ldc}, by, batch, true});    \
  }                                                                                                                    \
  cublasStatus_t cublasGemmStridedBatchedEx##width(                                                                    \
      cublasHandle_t handle, cublasOperation_t op_a, cublasOperation_t op_b, Int m, Int n, Int k, const void* alpha,   \
      const void* a, cudaDataType a_type, Int lda, long long stride_a, const void* b, cudaDataType b_type, Int ldb,    \
      long long stride_b, const void* beta, void* c, cudaDataType c_type, Int ldc, long long stride_c, Int batch,      \
      cublasComputeType_t by, cublasGemmAlgo_t) {                                                                      \
    return gemm(handle, {m,                                                                                            \
                         n,                                                                                            \
                         k,                                                                                            \
                         alpha,                                                                                        \
                         beta,                                                                                         \
                         {a, a_type, lda, op_a, stride_a},                                                             \
                         {b, b_type, ldb, op_b, stride_b},                                                             \
                         {c, c_type, ldc, CUBLAS_OP_N, stride_c},                                                      \
                         by,                                                                                           \
                         batch});                                                                                      \
  }
LOCKSTEP_GEMM_EX(, int)
LOCKSTEP_GEMM_EX(_64, int64_t)
