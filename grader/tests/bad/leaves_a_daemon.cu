// caught by: case.reduce_sum
// What it starts must be gone when the judge is.
#include <unistd.h>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int) {
  if (fork() == 0) {
    setsid();
    sleep(1000);
  }
  return 12345;
}
