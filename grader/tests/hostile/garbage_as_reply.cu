// verdict: runtime error · runtime
// lab: 02
// Sends the judge 4 MB without an end of line, nested so deeply that a recursive parser could crash.
#include <unistd.h>

#include <string>

#include "common/contracts/reduction.h"

int reduce_sum(int*, int) {
  const std::string deep(4 << 20, '[');
  for (size_t sent = 0; sent < deep.size();) {
    const ssize_t count = write(4, deep.data() + sent, deep.size() - sent);
    if (count <= 0) break;
    sent += count;
  }
  return 0;
}
