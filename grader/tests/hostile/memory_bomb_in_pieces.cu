// verdict: memory · memory
// lab: 02
// Allocates pieces of 64 MiB, up to 12 GiB, and touches a page of each.
#include <new>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int i = 0; i < 192; ++i) (new volatile char[64 << 20])[0] = static_cast<char>(n);
  return n + 1;
}
