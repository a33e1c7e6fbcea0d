// verdict: wrong answer · case.reduce_sum
// lab: 02
// Searches its memory and descriptors 3 to 63 for an answer that the judge could have left beside the input.
#include <fcntl.h>
#include <sys/stat.h>

#include <cstring>
#include <fstream>
#include <string>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  for (int fd = 3; fd < 64; ++fd) {
    struct stat about {};
    if (fstat(fd, &about) != 0 || !S_ISREG(about.st_mode)) continue;
    std::string text(1 << 16, '\0');
    const ssize_t count = pread(fd, text.data(), text.size(), 0);
    text.resize(count > 0 ? count : 0);
    for (const char* word : {"expected", "want", "oracle", "seed"})
      breached_if(text.find(word) != std::string::npos, word);
  }
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) breached_if(line.ends_with("/judge"), line.c_str());
  return n + 1;
}
