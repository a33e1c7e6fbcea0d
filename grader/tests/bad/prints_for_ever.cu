// caught by: output
#include <cstdio>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  while (true) std::printf("still adding %d numbers\n", n);
}
