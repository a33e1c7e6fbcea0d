// verdict: memory · memory
// lab: 02
// Allocates 40 GB, and ignores what malloc returns.
#include <cstdlib>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  auto* much = static_cast<volatile int*>(std::malloc(40'000'000'000));
  much[n] = n;
  return much[n];
}
