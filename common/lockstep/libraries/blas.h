// blas: what the entry points of the stand-in for cuBLAS share. Each call fetches its operands from the device in the
// order of the handle's stream, computes on the host, and stores the result the same way. Nothing here is a card's: the
// order of additions differs, so the last bits do.
#pragma once

#include <complex>
#include <cstdint>
#include <new>
#include <type_traits>
#include <vector>

#pragma GCC visibility push(default)
#include <cublas_v2.h>
#pragma GCC visibility pop

#include "libraries/door.h"

struct cublasContext {
  cudaStream_t stream = nullptr;
  cublasPointerMode_t pointers = CUBLAS_POINTER_MODE_HOST;
  cublasAtomicsMode_t atomics = CUBLAS_ATOMICS_NOT_ALLOWED;
  cublasMath_t math = CUBLAS_DEFAULT_MATH;
  int multiprocessors = 0;  // the program's wish; 0: none
};

namespace lockstep::libraries {

// What stops a call: its status.
struct Stop {
  cublasStatus_t status;
};
inline void require(bool holds, cublasStatus_t otherwise = CUBLAS_STATUS_INVALID_VALUE) {
  if (!holds) throw Stop{otherwise};
}
inline thread_local const char* t_function = "";  // the entry point that runs in this thread
// The program asks for something that cuBLAS has and lockstep does not: "a stream that is captured".
[[noreturn]] void refuse_with(const char* what);

bool is_handle(cublasHandle_t handle);
// Refuses the call if the handle's stream is captured: the work of a graph is done later.
void refuse_capture(cublasHandle_t handle);

// Runs an entry point's body, which throws Stop if it cannot go on.
template <typename Body>
cublasStatus_t compute(cublasHandle_t handle, Body&& body, const char* function = __builtin_FUNCTION()) {
  if (!is_handle(handle)) return CUBLAS_STATUS_NOT_INITIALIZED;
  try {
    t_function = function;
    refuse_capture(handle);
    body();
    note_computed("cuBLAS");
    return CUBLAS_STATUS_SUCCESS;
  } catch (const Stop& stop) { return stop.status; } catch (const std::bad_alloc&) {
    return CUBLAS_STATUS_ALLOC_FAILED;
  }
}

// The type with which the host computes: cuComplex is std::complex.
template <typename T>
struct OnHost {
  using Type = T;
};
template <>
struct OnHost<cuComplex> {
  using Type = std::complex<float>;
};
template <>
struct OnHost<cuDoubleComplex> {
  using Type = std::complex<double>;
};
template <typename T>
using Host = typename OnHost<T>::Type;

template <typename T>
constexpr cudaDataType kType = std::is_same_v<Host<T>, float>                  ? CUDA_R_32F
                               : std::is_same_v<Host<T>, double>               ? CUDA_R_64F
                               : std::is_same_v<Host<T>, std::complex<float>>  ? CUDA_C_32F
                               : std::is_same_v<Host<T>, std::complex<double>> ? CUDA_C_64F
                                                                               : CUDA_R_16F;
template <typename T>
constexpr bool kComplex = std::is_same_v<T, std::complex<float>> || std::is_same_v<T, std::complex<double>>;
template <typename T>
T conjugate(T value) {
  if constexpr (kComplex<T>) return std::conj(value);
  return value;
}

// A matrix in the device's memory, column by column; leading: elements from one column to the next.
struct Matrix {
  const void* data;
  cudaDataType type;
  int64_t rows, columns, leading;
};
// Element i stands at i * step; if step is negative, at (i - count + 1) * step.
struct Vector {
  const void* data;
  cudaDataType type;
  int64_t count, step;
};
// A factor or a result: on the host, or on the device, as the handle's pointer mode says.
struct Scalar {
  const void* data;
  cudaDataType type;
};

int64_t bytes_of(cudaDataType type);  // throws Stop for a type that lockstep does not know

// From the device, converted to T: float, double, a complex type, or uint32_t for sums of integers. Columns follow each
// other without gaps.
template <typename T>
std::vector<T> fetch(cublasHandle_t handle, const Matrix& from);
template <typename T>
std::vector<T> fetch(cublasHandle_t handle, const Vector& from);
template <typename T>
T fetch(cublasHandle_t handle, const Scalar& from);

// To the device, rounded to the type there. Nothing between the columns or the elements is written.
template <typename T>
void store(cublasHandle_t handle, const std::vector<T>& values, const Matrix& to);
template <typename T>
void store(cublasHandle_t handle, const std::vector<T>& values, const Vector& to);
template <typename T>
void store(cublasHandle_t handle, T value, const Scalar& to);

std::vector<const void*> fetch_pointers(cublasHandle_t handle, const void* array, int64_t count);

// The sums of a product: a (m x k) times b (k x n), all column by column. halves: the sums are rounded to half after
// every 16 products, as in a tensor core whose sums are halves.
template <typename T>
std::vector<T> multiply(int64_t m, int64_t n, int64_t k, const std::vector<T>& a, const std::vector<T>& b,
                        bool halves = false);

// The matrix, transposed if op says so, of `rows` rows then.
template <typename T>
std::vector<T> applied(cublasOperation_t op, std::vector<T> matrix, int64_t rows, int64_t columns);
inline bool is_operation(cublasOperation_t op) { return op == CUBLAS_OP_N || op == CUBLAS_OP_T || op == CUBLAS_OP_C; }

}  // namespace lockstep::libraries

// Entry points come in four types and two widths of integers: EACH_TYPE(F) is F(S, float, , int) F(S, float, _64,
// int64_t), and so on.
#define LOCKSTEP_WIDTHS(F, ...) F(__VA_ARGS__, , int) F(__VA_ARGS__, _64, int64_t)
#define LOCKSTEP_REAL(F) LOCKSTEP_WIDTHS(F, S, float) LOCKSTEP_WIDTHS(F, D, double)
#define LOCKSTEP_COMPLEX(F) LOCKSTEP_WIDTHS(F, C, cuComplex) LOCKSTEP_WIDTHS(F, Z, cuDoubleComplex)
#define LOCKSTEP_EACH_TYPE(F) LOCKSTEP_REAL(F) LOCKSTEP_COMPLEX(F)
