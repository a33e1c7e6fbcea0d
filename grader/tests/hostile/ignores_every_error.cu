// verdict: rule broken · finding.unchecked_error
// lab: 99
// Looks at nothing that CUDA's calls return.
#define CHECK(call) call
#include "calls.h"

int reduce_sum(int* data, int n) { return sum_of(data, n); }
