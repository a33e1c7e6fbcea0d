// options: how a device is set up: its memory, the schedule, the checks, where its report goes.
#pragma once

#include <cstdint>
#include <string>

namespace lockstep {

class Host;

// Order in which warps of a block, lanes' paths of a warp, and resident blocks take turns.
struct Schedule {
  enum Kind { kForward, kReverse, kRandom } kind = kForward;
  uint64_t seed = 0;
};

// Which mistakes are looked for. Accesses outside of memory end the kernel in any case; with `memory` on it goes on
// without them, so that one run shows more than the first.
struct Checks {
  bool memory = false, initialised = false, races = false, synchronisation = false, launch = false;
  bool watch() const { return initialised || races || synchronisation; }  // what happens while a kernel runs
};

// LOCKSTEP_FAIL: one call that fails although nothing is wrong, so that one sees whether the program looks.
struct PlannedFailure {
  uint64_t number = 0;         // of the call, from 1; 0: none
  bool profiled_only = false;  // counted from the first cudaProfilerStart() on
};

struct DeviceOptions {
  uint64_t memory_bytes = 8ull << 30;  // what the device pretends to have
  Schedule schedule{};
  Checks checks{};
  uint32_t threads = 1;       // of the host, that run blocks side by side where that changes nothing
  bool report = true;         // keep what each launch counted, some 10 KB of it, for report_json()
  std::string report_file{};  // where end_program() writes the report; empty: nowhere
  std::string trace{};        // file for a record of what warps do (trace.h); empty: none
  PlannedFailure failure{};
  // Of a device in a process of its own: a file whose bytes from shared_offset on are the memory that the host has,
  // too.
  int shared_file = -1;
  uint64_t shared_offset = 0;
  const Host* host = nullptr;  // null: the program of this process
  // From the environment: LOCKSTEP_SCHEDULE (forward | reverse | random:SEED), LOCKSTEP_MEMORY (bytes,
  // with an optional K, M or G), LOCKSTEP_CHECKS (all, none, or a list of the names in Checks, separated by commas),
  // LOCKSTEP_THREADS (unset: one for each core that this process may use), LOCKSTEP_REPORT (no report unless it names
  // a file), LOCKSTEP_TRACE (a file), LOCKSTEP_FAIL (K or profiled:K). A malformed value throws std::invalid_argument
  // that says what is accepted.
  static DeviceOptions from_environment();
};

}  // namespace lockstep
