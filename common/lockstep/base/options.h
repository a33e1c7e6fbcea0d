// options: how a device is set up: its memory, the schedule, the checks, the files that it writes.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

class Host;

// The order in which the warps of a block, the paths of a warp and the resident blocks take turns.
struct Schedule {
  enum Kind { kForward, kReverse, kRandom } kind = kForward;
  uint64_t seed = 0;
};

// The mistakes that the device looks for. An access outside of memory ends the kernel. With `memory` on, the kernel
// continues without that access, so that one run shows more than the first mistake. `races` looks within a launch, at
// work in several streams, and at a host that does not wait.
// `plain_volatile`: a volatile access orders nothing, as in C++. PTX's memory model promises more.
struct Checks {
  bool memory = false, initialised = false, races = false, synchronisation = false, launch = false;
  bool plain_volatile = false;                                            // only with `races`
  bool watch() const { return initialised || races || synchronisation; }  // these follow a kernel while it runs
};

// LOCKSTEP_FAIL: one call fails although nothing is wrong. This shows whether the program checks for errors.
struct PlannedFailure {
  uint64_t number = 0;         // the number of the call that fails, from 1; 0: no call fails
  bool profiled_only = false;  // counted from the first cudaProfilerStart() on
};

// The memory that the device shares with a program in another process: the bytes of a file from `offset` on.
struct SharedMemory {
  int file = -1;  // its descriptor; -1: the program lives in the device's process
  uint64_t offset = 0;
  int vault = -1;  // the descriptor of a file that the judge shares with the device alone; -1: there is none
};

// ptxas and nvdisasm, which tell what becomes of a kernel's accesses to memory (sass/asking.h).
struct Tools {
  std::string folder{};  // of the answers; empty: lockstep does not ask the tools, and guesses
  // Paths. One of them empty: only the answers that are in the folder are known.
  std::string ptxas{}, nvdisasm{};
};

// From the environment: LOCKSTEP_SASS (a folder, or none; unset: lockstep/ in the user's cache), LOCKSTEP_PTXAS and
// LOCKSTEP_NVDISASM (paths; unset: those of this build, or the first of PATH).
Tools find_tools();

struct DeviceOptions {
  uint64_t memory_bytes = 8ull << 30;  // the size of the emulated card's memory
  Schedule schedule{};
  Checks checks{};
  uint32_t threads = 1;       // threads of the host, which run blocks in parallel where that changes no result
  bool report = true;         // keep the counters of each launch, some 10 KB, for report_json(); else it has none
  std::string report_file{};  // end_program() writes the report there; empty: nowhere
  Tools tools{};
  std::string trace{};  // the file in which the events of the warps are recorded (trace.h); empty: none
  PlannedFailure failure{};
  SharedMemory shared{};
  const Host* host = nullptr;  // the program that uses the device; null: the program of this process
  // From the environment: LOCKSTEP_SCHEDULE (forward | reverse | random:SEED), LOCKSTEP_MEMORY (bytes, with an optional
  // K, M or G), LOCKSTEP_CHECKS (all, none, or a list of the names in Checks, separated by commas), LOCKSTEP_THREADS
  // (unset: one for each core that this process may use), LOCKSTEP_REPORT (a file; unset: no report),
  // LOCKSTEP_COUNTERS (all; none: a report without launches), LOCKSTEP_TRACE (a file), LOCKSTEP_FAIL (K or profiled:K),
  // and find_tools(). A malformed value throws std::invalid_argument; its text says what is accepted.
  static DeviceOptions from_environment();
};

}  // namespace lockstep
