// verdict: output limit · output
// lab: 02
// Prints 64 MB to stdout.
#include <cstdio>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int i = 0; i < 2'000'000; ++i) std::printf("still adding %12d numbers\n", n);
  return n;
}
