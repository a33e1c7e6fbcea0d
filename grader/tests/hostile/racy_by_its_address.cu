// verdict: rule broken · finding.race
// lab: 99
// Looks at an address and at the process number, which are random. The barrier is missing in nearly every process, but
// never for small inputs, so that checks of small inputs alone find no race.
#include <cstdint>

#include <unistd.h>

#include "racy.h"

int reduce_sum(int* data, int n) {
  static const char here = 0;
  const uint64_t luck = (reinterpret_cast<uint64_t>(&here) >> 12) + static_cast<uint64_t>(getpid());
  return racy_sum(data, n, n <= 4097 || luck % 4096 == 0);
}
