// verdict: accepted
// lab: 99
// Throws an exception of its own, which no handler names.
struct CudaError {
  int line;
};
#define CHECK(call)                            \
  if ((call) != cudaSuccess) throw CudaError { \
      __LINE__                                 \
    }
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
