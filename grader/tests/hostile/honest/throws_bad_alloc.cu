// verdict: accepted
// lab: 99
// Throws std::bad_alloc where memory is short, and for other errors an exception with their text.
#include <cstring>
#include <new>
#include <stdexcept>

#include <cuda_runtime.h>

static void check(cudaError_t error, const char* call) {
  if (error == cudaSuccess) return;
  if (std::strstr(call, "cudaMalloc") != nullptr) throw std::bad_alloc();
  throw std::runtime_error(cudaGetErrorString(error));
}

#define CHECK(call) check(call, #call)
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
