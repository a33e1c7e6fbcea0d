// breach: a file here calls it when it has reached something that must be out of reach. The test then fails, whatever
// the verdict is.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string_view>

inline void breached(const char* what) {
  std::fprintf(stderr, "BREACHED: %s\n", what);
  std::fflush(stderr);
}

inline void breached_if(bool happened, const char* what) {
  if (happened) breached(what);
}

// Sends signals to all processes only where the submission sees no processes but its own.
inline bool is_among_ours() {
  char name[64] = "";
  const ssize_t length = readlink("/proc/self/ns/pid", name, sizeof name - 1);
  const bool outside = length <= 0 || std::string_view(name) == "@PID_NAMESPACE@";
  breached_if(outside, "it sees the processes of everybody");
  return !outside;
}
