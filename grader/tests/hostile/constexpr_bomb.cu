// verdict: compile error · compile
// lab: 02
// Makes the compiler count to ten billion.
#include "common/contracts/reduction.h"

constexpr unsigned long long count() {
  unsigned long long total = 0;
  for (unsigned long long i = 0; i < 10'000'000'000; ++i) total += i ^ (total << 1);
  return total;
}
constexpr unsigned long long kCount = count();

int reduce_sum(int*, int) { return static_cast<int>(kCount); }
