// verdict: runtime error · runtime
// lab: 02
// Starts itself again with a library of its own in LD_PRELOAD and LD_LIBRARY_PATH, in place of the device's.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>

#include "common/contracts/reduction.h"

static const struct Again {
  Again() {
    if (getenv("AGAIN") != nullptr) return;
    std::error_code ignored;
    std::filesystem::copy_file("/proc/self/exe", "/tmp/libcudart.so.13", ignored);
    setenv("AGAIN", "1", 1);
    setenv("LD_PRELOAD", "/tmp/libcudart.so.13", 1);
    setenv("LD_LIBRARY_PATH", "/tmp", 1);
    char name[] = "again";
    char* const arguments[] = {name, nullptr};
    execv("/proc/self/exe", arguments);
  }
} again;

int reduce_sum(int*, int n) { return n + 1; }
