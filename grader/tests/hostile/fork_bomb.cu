// verdict: wrong answer · case.reduce_sum
// lab: 02
// Starts processes that start processes, 200 at most, each for 20 seconds.
#include <unistd.h>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  static bool done = false;
  if (done) return n + 1;
  done = true;
  for (int i = 0; i < 10; ++i) {
    if (fork() != 0) continue;
    for (int j = 0; j < 19; ++j) fork() == 0 ? j = 19 : 0;
    sleep(20);
    _exit(0);
  }
  return n + 1;
}
