// verdict: wrong answer · case.reduce_sum
// lab: 02
// Fills /tmp, /dev/shm and its own folder, 256 MiB at most.
#include <fcntl.h>

#include <string>
#include <vector>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  static bool done = false;
  if (done) return n + 1;
  done = true;
  const std::vector<char> megabyte(1 << 20, 'x');
  size_t total = 0;
  for (const char* folder : {"/tmp", "/dev/shm", "."}) {
    const int fd = open((folder + std::string("/@CANARY@")).c_str(), O_CREAT | O_WRONLY, 0600);
    while (fd >= 0 && total < 256 && write(fd, megabyte.data(), megabyte.size()) == 1 << 20) ++total;
  }
  breached_if(total == 256, "256 MiB of files");
  return n + 1;
}
