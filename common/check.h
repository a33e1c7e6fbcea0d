// check: CUDA_CHECK(call) ends the program with a message if a CUDA runtime call fails.
// For a launch, which returns nothing: CUDA_CHECK(cudaGetLastError()).
#pragma once

#include <cstdio>
#include <cstdlib>

#include <cuda_runtime.h>

// The runner defines it, so that the judge hears of the failure too. A program without the runner leaves it out.
extern "C" __attribute__((weak)) void warpladder_cuda_failed(cudaError_t error, const char* call, const char* file,
                                                             int line);

inline void cuda_check(cudaError_t error, const char* call, const char* file, int line) {
  if (error == cudaSuccess) return;
  std::fprintf(stderr, "%s:%d: %s\n  failed with %s: %s\n", file, line, call, cudaGetErrorName(error),
               cudaGetErrorString(error));
  if (warpladder_cuda_failed != nullptr) warpladder_cuda_failed(error, call, file, line);
  std::exit(1);
}

#define CUDA_CHECK(call) cuda_check((call), #call, __FILE__, __LINE__)
