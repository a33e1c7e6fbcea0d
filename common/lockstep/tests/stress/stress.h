// stress: arrays for the programs here, filled by a formula, so that every run and every device has the same values.
#pragma once

#include <cstdint>
#include <vector>

#include "common/check.h"

// n elements of device memory; the bytes of element i are the low bytes of hash(i). It is freed when the program ends.
inline uint32_t hash(uint32_t i) { return i * 2654435761u >> 7 ^ i * 40503u; }

template <class T>
T* device_array(size_t n, uint32_t below = ~0u) {
  std::vector<T> values(n);
  for (size_t i = 0; i < n; ++i) values[i] = static_cast<T>(hash(static_cast<uint32_t>(i)) % below);
  T* data = nullptr;
  CUDA_CHECK(cudaMalloc(&data, n * sizeof(T)));
  CUDA_CHECK(cudaMemcpy(data, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
  return data;
}

inline void finish() {
  CUDA_CHECK(cudaGetLastError());
  CUDA_CHECK(cudaDeviceSynchronize());
}
