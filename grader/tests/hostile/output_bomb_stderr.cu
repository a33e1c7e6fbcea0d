// verdict: output limit · output
// lab: 02
// Writes 64 MB to stderr without an end of line.
#include <unistd.h>

#include <string>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  const std::string megabyte(1'000'000, 'x');
  for (int i = 0; i < 64; ++i) {
    if (write(2, megabyte.data(), megabyte.size()) < 0) break;
  }
  return n;
}
