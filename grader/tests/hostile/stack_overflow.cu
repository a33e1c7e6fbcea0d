// verdict: runtime error · runtime
// lab: 02
// A host function calls itself for ever.
#include "common/contracts/reduction.h"

static int deeper(volatile int* place) {
  volatile int here[256] = {*place};
  return deeper(here) + here[1];
}

int reduce_sum(int*, int n) {
  volatile int place = n;
  return deeper(&place);
}
