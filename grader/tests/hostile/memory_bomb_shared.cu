// verdict: wrong answer · case.reduce_sum
// lab: 02
// Maps shared memory, which no limit on data counts, and fills it: 1 GiB at most.
#include <sys/mman.h>
#include <unistd.h>

#include <vector>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  static bool done = false;
  if (done) return n + 1;
  done = true;
  const int file = memfd_create("@CANARY@", 0);
  const std::vector<char> megabyte(1 << 20, 'x');
  int total = 0;
  while (file >= 0 && total < 1024 && write(file, megabyte.data(), megabyte.size()) == 1 << 20) ++total;
  breached_if(total == 1024, "1 GiB of shared memory");
  return n + 1;
}
