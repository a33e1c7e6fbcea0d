// verdict: time · time
// lab: 02
// Sleeps for a minute, without any work.
#include <unistd.h>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int i = 0; i < 60; ++i) sleep(1);
  return n;
}
