// verdict: memory · memory
// lab: 02
// Allocates 40 GB at once, and uses it.
#include <vector>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  std::vector<int> much(10'000'000'000, n);
  return much[much.size() / 2];
}
