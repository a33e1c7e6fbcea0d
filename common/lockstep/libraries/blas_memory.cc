// blas_memory: operands of cuBLAS in the device's memory ↔ vectors of the host. A copy to memory of the host that is
// not pinned returns when it is done, behind all earlier work of its stream; so no call here waits for more.
#include <algorithm>
#include <cstddef>

#include "libraries/blas.h"

namespace lockstep::libraries {
namespace {

void check(cudaError_t error) { require(error == cudaSuccess, CUBLAS_STATUS_EXECUTION_FAILED); }

// Columns of `width` bytes. On the host they follow each other; on the device they are `pitch` bytes apart.
void copy(cublasHandle_t handle, void* to, const void* from, size_t width, size_t columns, size_t pitch,
          cudaMemcpyKind kind) {
  if (width == 0 || columns == 0) return;
  if (columns == 1 || pitch == width) return check(cudaMemcpyAsync(to, from, width * columns, kind, handle->stream));
  const bool out = kind == cudaMemcpyDeviceToHost;
  check(cudaMemcpy2DAsync(to, out ? width : pitch, from, out ? pitch : width, width, columns, kind, handle->stream));
}

template <typename To, typename From>
To converted(From value) {
  if constexpr (std::is_same_v<From, __half>)
    return converted<To>(__half2float(value));
  else if constexpr (std::is_same_v<From, __nv_bfloat16>)
    return converted<To>(__bfloat162float(value));
  else if constexpr (std::is_same_v<To, __half>)
    return __double2half(converted<double>(value));
  else if constexpr (std::is_same_v<To, __nv_bfloat16>)
    return __double2bfloat16(converted<double>(value));
  else if constexpr (kComplex<From> && kComplex<To>)
    return To(value);
  else if constexpr (kComplex<From>)
    throw Stop{CUBLAS_STATUS_NOT_SUPPORTED};  // cuBLAS makes no real number of a complex one
  else if constexpr (kComplex<To>)
    return To(static_cast<typename To::value_type>(value));
  else
    return static_cast<To>(value);
}

// visit(value of the type).
template <typename Visit>
void with(cudaDataType type, Visit&& visit) {
  switch (type) {
    case CUDA_R_32F: return visit(float{});
    case CUDA_R_64F: return visit(double{});
    case CUDA_C_32F: return visit(std::complex<float>{});
    case CUDA_C_64F: return visit(std::complex<double>{});
    case CUDA_R_16F: return visit(__half{});
    case CUDA_R_16BF: return visit(__nv_bfloat16{});
    case CUDA_R_8I: return visit(int8_t{});
    case CUDA_R_32I: return visit(int32_t{});
    default: refuse_with(later("this type of numbers"));
  }
}

}  // namespace

int64_t bytes_of(cudaDataType type) {
  int64_t bytes = 0;
  with(type, [&](auto value) { bytes = sizeof value; });
  return bytes;
}

template <typename T>
std::vector<T> fetch(cublasHandle_t handle, const Matrix& from) {
  const auto rows = static_cast<size_t>(from.rows), columns = static_cast<size_t>(from.columns);
  std::vector<T> values(rows * columns);
  with(from.type, [&](auto sample) {
    using There = decltype(sample);
    const size_t width = rows * sizeof(There), pitch = static_cast<size_t>(from.leading) * sizeof(There);
    if constexpr (std::is_same_v<There, T>) {
      copy(handle, values.data(), from.data, width, columns, pitch, cudaMemcpyDeviceToHost);
    } else {
      std::vector<There> there(rows * columns);
      copy(handle, there.data(), from.data, width, columns, pitch, cudaMemcpyDeviceToHost);
      std::ranges::transform(there, values.begin(), converted<T, There>);
    }
  });
  return values;
}

template <typename T>
void store(cublasHandle_t handle, const std::vector<T>& values, const Matrix& to) {
  with(to.type, [&](auto sample) {
    using There = decltype(sample);
    const size_t width = static_cast<size_t>(to.rows) * sizeof(There);
    const size_t pitch = static_cast<size_t>(to.leading) * sizeof(There);
    std::vector<There> there(values.size());
    std::ranges::transform(values, there.begin(), converted<There, T>);
    copy(handle, const_cast<void*>(to.data), there.data(), width, static_cast<size_t>(to.columns), pitch,
         cudaMemcpyHostToDevice);
  });
}

// A vector is a matrix of one row. With step 0 there is one element, which stands for all.
template <typename T>
std::vector<T> fetch(cublasHandle_t handle, const Vector& from) {
  const int64_t count = std::max<int64_t>(from.count, 0);
  if (from.step == 0 && count > 0)
    return std::vector<T>(static_cast<size_t>(count), fetch<T>(handle, Matrix{from.data, from.type, 1, 1, 1})[0]);
  std::vector<T> values = fetch<T>(handle, Matrix{from.data, from.type, 1, count, std::abs(from.step)});
  if (from.step < 0) std::ranges::reverse(values);
  return values;
}
template <typename T>
void store(cublasHandle_t handle, const std::vector<T>& values, const Vector& to) {
  if (values.empty()) return;
  if (to.step == 0) return store(handle, std::vector<T>{values.back()}, Matrix{to.data, to.type, 1, 1, 1});
  std::vector<T> ordered = values;
  if (to.step < 0) std::ranges::reverse(ordered);
  store(handle, ordered, Matrix{to.data, to.type, 1, to.count, std::abs(to.step)});
}

template <typename T>
T fetch(cublasHandle_t handle, const Scalar& from) {
  require(from.data != nullptr);
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE) return fetch<T>(handle, Matrix{from.data, from.type, 1, 1, 1})[0];
  T value{};
  with(from.type, [&](auto sample) { value = converted<T>(*static_cast<const decltype(sample)*>(from.data)); });
  return value;
}
template <typename T>
void store(cublasHandle_t handle, T value, const Scalar& to) {
  if (handle->pointers == CUBLAS_POINTER_MODE_DEVICE)
    return store(handle, std::vector<T>{value}, Matrix{to.data, to.type, 1, 1, 1});
  with(to.type, [&](auto sample) {
    using There = decltype(sample);
    *static_cast<There*>(const_cast<void*>(to.data)) = converted<There>(value);
  });
}

std::vector<const void*> fetch_pointers(cublasHandle_t handle, const void* array, int64_t count) {
  std::vector<const void*> pointers(static_cast<size_t>(count));
  const size_t bytes = pointers.size() * sizeof(void*);
  copy(handle, pointers.data(), array, bytes, 1, bytes, cudaMemcpyDeviceToHost);
  return pointers;
}

#define LOCKSTEP_INSTANCES(T)                                                \
  template std::vector<T> fetch(cublasHandle_t, const Matrix&);              \
  template std::vector<T> fetch(cublasHandle_t, const Vector&);              \
  template T fetch(cublasHandle_t, const Scalar&);                           \
  template void store(cublasHandle_t, const std::vector<T>&, const Matrix&); \
  template void store(cublasHandle_t, const std::vector<T>&, const Vector&); \
  template void store(cublasHandle_t, T, const Scalar&);
LOCKSTEP_INSTANCES(float)
LOCKSTEP_INSTANCES(double)
LOCKSTEP_INSTANCES(std::complex<float>)
LOCKSTEP_INSTANCES(std::complex<double>)
LOCKSTEP_INSTANCES(uint32_t)

}  // namespace lockstep::libraries
