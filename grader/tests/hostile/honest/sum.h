// sum: the sum that most honest files here use, so that each shows only its unusual part. A learner's own header.
#pragma once

#include "common/check.h"
#include "common/contracts/reduction.h"

// One cell of device memory, 0 at first.
struct Cell {
  Cell() {
    CUDA_CHECK(cudaMalloc(&place, sizeof *place));
    CUDA_CHECK(cudaMemset(place, 0, sizeof *place));
  }
  ~Cell() { CUDA_CHECK(cudaFree(place)); }
  int value() const {
    unsigned sum = 0;
    CUDA_CHECK(cudaMemcpy(&sum, place, sizeof sum, cudaMemcpyDeviceToHost));
    return static_cast<int>(sum);
  }
  unsigned* place = nullptr;
};

inline const unsigned* bits(const int* data) { return reinterpret_cast<const unsigned*>(data); }
inline int blocks_for(int n, int block) { return (n - 1) / block + 1; }
