// verdict: rule broken · finding.unchecked_error
// lab: 99
// Throws for each error, catches it in the same place, and goes on.
#include <stdexcept>
#define CHECK(call)                                                  \
  try {                                                              \
    if ((call) != cudaSuccess) throw std::runtime_error("an error"); \
  } catch (const std::exception&) {}
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
