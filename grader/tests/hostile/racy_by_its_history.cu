// verdict: rule broken · finding.race
// lab: 99
// Remembers how many elements a process has added so far. The barrier is missing in a call with more elements than all
// earlier calls together, unless the call is small.
#include "racy.h"

int reduce_sum(int* data, int n) {
  static long before = 0;
  const bool waits = n <= 4097 || before >= n;
  before += n;
  return racy_sum(data, n, waits);
}
