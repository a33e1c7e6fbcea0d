// verdict: wrong answer · case.histogram
// lab: 15
// Launches a kernel that does nothing.
#include "common/check.h"
#include "common/contracts/histogram.h"

static __global__ void nothing() {}

void histogram(const unsigned char*, size_t, unsigned*) {
  nothing<<<1, 32>>>();
  CUDA_CHECK(cudaGetLastError());
}
