// verdict: memory · memory
// lab: 02
// Allocates 64 MiB after 64 MiB and touches a page of each, 12 GiB at most.
#include <new>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int i = 0; i < 192; ++i) (new volatile char[64 << 20])[0] = static_cast<char>(n);
  return n + 1;
}
