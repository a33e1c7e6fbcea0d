// verdict: accepted
// lab: 99
// Prints the error, releases its memory, and returns early with an error code of its own.
#include <cstdio>

#include "common/contracts/reduction.h"

static __global__ void add(const unsigned* data, int n, unsigned* sum) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) atomicAdd(sum, data[i]);
}

enum Code { kFine, kNoMemory, kNoLaunch, kNoCopy };

static Code sum_into(const int* data, int n, unsigned* sum) {
  unsigned* d_sum = nullptr;
  if (cudaMalloc(&d_sum, sizeof *d_sum) != cudaSuccess) return kNoMemory;
  Code code = kFine;
  if (cudaMemset(d_sum, 0, sizeof *d_sum) != cudaSuccess) code = kNoMemory;
  if (code == kFine) {
    add<<<(n - 1) / 256 + 1, 256>>>(reinterpret_cast<const unsigned*>(data), n, d_sum);
    if (cudaGetLastError() != cudaSuccess) code = kNoLaunch;
  }
  if (code == kFine && cudaMemcpy(sum, d_sum, sizeof *sum, cudaMemcpyDeviceToHost) != cudaSuccess) code = kNoCopy;
  if (cudaFree(d_sum) != cudaSuccess) code = kNoMemory;
  return code;
}

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  unsigned sum = 0;
  const Code code = sum_into(data, n, &sum);
  if (code == kFine) return static_cast<int>(sum);
  std::fprintf(stderr, "reduce_sum failed with code %d\n", code);
  return -1;
}
