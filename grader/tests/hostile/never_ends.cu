// verdict: time · time
// lab: 02
// Answers correctly, but its last destructor does not return.
#include <unistd.h>

#include "right.h"

static const struct Sleeper {
  ~Sleeper() {
    for (int i = 0; i < 60; ++i) sleep(1);
  }
} sleeper;

int reduce_sum(int* data, int n) { return right_sum(data, n); }
