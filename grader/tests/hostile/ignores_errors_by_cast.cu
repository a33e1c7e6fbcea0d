// verdict: rule broken · finding.unchecked_error
// lab: 99
// Stores each error in a variable that nobody reads, and clears the last one.
#define CHECK(call)                        \
  do {                                     \
    const cudaError_t error = (call);      \
    (void)error, (void)cudaGetLastError(); \
  } while (false)
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
