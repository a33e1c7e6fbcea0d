// verdict: rule broken · finding.race
// lab: 99
// Remembers how much a process has added so far. The barrier is gone in a call that is larger than all before it
// together, unless it is small.
#include "racy.h"

int reduce_sum(int* data, int n) {
  static long before = 0;
  const bool waits = n <= 4097 || before >= n;
  before += n;
  return racy_sum(data, n, waits);
}
