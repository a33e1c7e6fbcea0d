// verdict: time · time
// lab: 02
// A static constructor does not return, so the runner's main never begins.
#include <unistd.h>

#include "common/contracts/reduction.h"

static const struct Sleeper {
  Sleeper() {
    for (int i = 0; i < 60; ++i) sleep(1);
  }
} sleeper;

int reduce_sum(int*, int n) { return n; }
