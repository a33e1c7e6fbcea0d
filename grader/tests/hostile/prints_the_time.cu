// verdict: rule broken · finding.unchecked_error
// lab: 99
// Prints another text in every run, so that a printed text proves nothing, and ignores the error of cudaFree.
#include <chrono>
#include <cstdio>
#define CHECK(call) call
#include "calls.h"

int reduce_sum(int* data, int n) {
  std::printf("%lld\n", static_cast<long long>(std::chrono::steady_clock::now().time_since_epoch().count()));
  return sum_of(data, n);
}
