// device_array: an array in the device's memory, and what a matrix product must be, by three loops in double.
#pragma once

#include <complex>
#include <vector>

#include <cublas_v2.h>
#include <cuda_runtime_api.h>

namespace lockstep::libraries_test {

template <typename T>
class DeviceArray {
 public:
  explicit DeviceArray(const std::vector<T>& values) : size_(values.size()) {
    cudaMalloc(reinterpret_cast<void**>(&data_), size_ * sizeof(T) + 1);
    cudaMemcpy(data_, values.data(), size_ * sizeof(T), cudaMemcpyHostToDevice);
  }
  ~DeviceArray() { cudaFree(data_); }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  T* data() const { return data_; }
  T* at(size_t i) const { return data_ + i; }
  std::vector<T> host() const {
    std::vector<T> values(size_);
    cudaMemcpy(values.data(), data_, size_ * sizeof(T), cudaMemcpyDeviceToHost);
    return values;
  }

 private:
  size_t size_;
  T* data_ = nullptr;
};

using Wide = std::complex<double>;

// Element (row, column) of op(matrix).
template <typename T>
Wide element(const std::vector<T>& matrix, int leading, cublasOperation_t op, int row, int column) {
  const Wide value =
      op == CUBLAS_OP_N ? Wide(matrix[size_t(column * leading + row)]) : Wide(matrix[size_t(row * leading + column)]);
  return op == CUBLAS_OP_C ? std::conj(value) : value;
}

// Whole numbers from -4 to 4, so that sums of some products are exact in float.
template <typename T>
std::vector<T> numbers(size_t count, unsigned seed) {
  std::vector<T> values(count);
  for (T& value : values) {
    seed = seed * 1664525 + 1013904223;
    const int real = int(seed >> 24) % 9 - 4, imaginary = int(seed >> 16) % 9 - 4;
    if constexpr (std::is_arithmetic_v<T>)
      value = T(real);
    else
      value = T(float(real), float(imaginary));
  }
  return values;
}

}  // namespace lockstep::libraries_test
