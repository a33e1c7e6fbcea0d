// verdict: time · time
// lab: 02
// Ignores every signal that can be ignored, and computes for ever.
#include <csignal>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int number = 1; number < 65; ++number) std::signal(number, SIG_IGN);
  volatile bool forever = true;
  while (forever) {}
  return n;
}
