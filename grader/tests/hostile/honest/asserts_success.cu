// verdict: accepted
// lab: 99
// Ends the program by assert and by abort.
#undef NDEBUG
#include <cassert>
#define CHECK(call)                   \
  do {                                \
    const cudaError_t error = (call); \
    assert(error == cudaSuccess);     \
  } while (false)
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
