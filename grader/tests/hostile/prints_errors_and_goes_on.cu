// verdict: rule broken · finding.unchecked_error
// lab: 99
// Prints each error, and goes on as if the call had succeeded.
#include <cstdio>
#define CHECK(call)                                                                       \
  do {                                                                                    \
    if (const cudaError_t error = (call); error != cudaSuccess)                           \
      std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
  } while (false)
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
