// stress: arrays for the programs here, filled by a formula, so that every run and every device has the same values.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "common/check.h"

// n elements of device memory; the bytes of element i are the low bytes of hash(i). It is freed when the program ends.
inline uint32_t hash(uint32_t i) { return i * 2654435761u >> 7 ^ i * 40503u; }

template <class T>
std::vector<T> host_array(size_t n, uint32_t below = ~0u) {
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(hash(static_cast<uint32_t>(i)) % below);
  return values;
}

template <class T>
T* to_device(const std::vector<T>& values) {
  T* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, values.size() * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(data, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

// The same values as host_array's.
template <class T>
T* device_array(size_t n, uint32_t below = ~0u) {
  return to_device(host_array<T>(n, below));
}

template <class T>
T* zeros(size_t n) {
  T* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, n * sizeof(T)));
  CUDA_CHECK(cudaMemset(data, 0, n * sizeof(T)));
  return data;
}

// Waits for the device. Ends the program with exit code 1 if the array of the device differs from `wanted`. The values
// are small integers, also those of the floats, so every order of additions gives the same sum.
template <class T>
void expect(const char* what, const T* data, const std::vector<T>& wanted) {
  CUDA_CHECK(cudaGetLastError());
  std::vector<T> got(wanted.size());
  CUDA_CHECK(cudaMemcpy(got.data(), data, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
  for (size_t i = 0; i < got.size(); ++i) {
    if (got[i] == wanted[i]) continue;
    std::fprintf(stderr, "%s: element %zu is %g instead of %g\n", what, i, static_cast<double>(got[i]),
                 static_cast<double>(wanted[i]));
    std::exit(1);
  }
}

inline void finish() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}
