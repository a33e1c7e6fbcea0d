// device_ints: an array of ints on the device, zeros at first, which the host reads after a launch.
#pragma once

#include "expect.h"

struct DeviceInts {
  int* d = nullptr;
  explicit DeviceInts(size_t n) {
    CUDA_CHECK(cudaMalloc(&d, n * sizeof(int)));
    CUDA_CHECK(cudaMemset(d, 0, n * sizeof(int)));
  }
  ~DeviceInts() { CUDA_CHECK(cudaFree(d)); }
  std::vector<int> read(size_t n) const {
    CUDA_CHECK(cudaGetLastError());
    std::vector<int> values(n);
    CUDA_CHECK(cudaMemcpy(values.data(), d, n * sizeof(int), cudaMemcpyDeviceToHost));
    return values;
  }
};
