// caught by: time
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  volatile bool forever = n > 0;
  while (forever) {}
  return 0;
}
