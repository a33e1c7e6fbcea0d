// caught by: runtime
#include <cstdio>
#include <cstdlib>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int) {
  std::puts("PASS");
  std::exit(0);
}
