// task: one request of the program that the device works on (a launch, a copy, a fill, a stream-ordered allocation),
// and its place in the order of the program's streams. Plain values: they cross the door to a device in another
// process.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace lockstep {

struct Task {
  // Work of another stream that may still run while this work runs: all of it with a number above `after`.
  struct Beside {
    uint32_t stream = 0;
    uint64_t after = 0;
  };
  uint64_t number = 0;   // counted over all streams, from 1
  uint64_t settled = 0;  // everything up to this number has ended before anything new begins
  uint64_t call = 0;     // the program's call; Host::call_line() gives its source line
  uint64_t graph = 0;    // the launch of a graph that the work belongs to; 0: none
  uint32_t stream = 0;
  std::string what{};  // the function that the program called; for a launch the device knows the kernel
  std::vector<Beside> beside{};
};

// Bytes of memory that the host reaches, and how some work used them. kSignal: written so that a host that polls may
// read them while the work runs (volatile, or of system scope).
struct HostUse {
  enum Kind : uint8_t { kRead, kWrite, kSignal };
  uint64_t begin = 0, end = 0;
  Kind kind = kRead;
};

// The host read or wrote an address that some work may still use.
struct HostTouch {
  uint64_t work = 0;  // Task::number
  uint64_t address = 0;
  uint64_t call = 0;  // the place in the host's code; as Task::call
  bool writes = false;
};

}  // namespace lockstep
