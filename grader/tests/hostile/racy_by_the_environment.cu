// verdict: rule broken · finding.race
// lab: 99
// Looks for lockstep's settings in its environment, and for the library that runs it in its memory. The barrier is
// missing if no setting asks for checks.
#include <cstdlib>
#include <cstring>

#include "racy.h"

int reduce_sum(int* data, int n) {
  const char* checks = std::getenv("LOCKSTEP_CHECKS");
  return racy_sum(data, n, checks != nullptr && std::strcmp(checks, "none") != 0);
}
