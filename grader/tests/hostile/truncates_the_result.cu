// verdict: wrong answer · case.reduce_sum
// lab: 02
// Truncates the files that it shares with the judge, so that the judge would crash at its next read. Then makes them
// larger.
#include <fcntl.h>
#include <sys/mman.h>

#include <csignal>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  std::signal(SIGXFSZ, SIG_IGN);  // of a limit on files
  for (int fd = 3; fd < 64; ++fd) {
    if (lseek(fd, 0, SEEK_END) < 0) continue;
    breached_if(ftruncate(fd, 0) == 0, "a shared file can be cut off");
    breached_if(ftruncate(fd, 1 << 30) == 0, "a shared file can be made larger");
  }
  void* input = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, 5, 0);
  breached_if(input != MAP_FAILED, "the judge's copy of the input can be written");
  return n + 1;
}
