// verdict: runtime error · runtime
// lab: 02
// Reads device memory on the host.
#include "common/contracts/reduction.h"

int reduce_sum(int* data, int n) {
  if (n == 0) return 0;
  volatile int* nowhere = nullptr;
  return *nowhere + data[0];
}
