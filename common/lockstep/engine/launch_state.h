// launch_state: what changes while a launch runs: counters, output, errors. Each thread of the host that runs blocks of
// the launch has a state of its own; grid adds them up.
#pragma once

#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "base/status.h"
#include "count/counters.h"
#include "engine/launch.h"
#include "engine/turns.h"

namespace lockstep {

// Tells the causes of bad accesses apart.
struct BadAccess {
  std::string_view kind;
  uint32_t pc = 0;
  uint64_t array = 0;  // the start of the nearest allocation, for an access to global memory
  auto operator<=>(const BadAccess&) const = default;
};

// An allocation, or the shared memory of a block, and the entries for its places (place_entries.h).
struct NotedPlaces {
  Range range{};
  uint64_t* entries = nullptr;
};

struct LaunchState {
  explicit LaunchState(const Launch& launch)
      : last_range(launch.program.accesses.size()),
        reached(launch.program.accesses.size()),
        contested(launch.program.accesses.size()),
        unwritten(launch.program.accesses.size()),
        noted(launch.program.accesses.size()),
        random(launch.schedule.seed + launch.sequence - 1),
        clock(launch.sequence << 32),
        sees_other_words(launch.memory.shows_other_words()) {
    counters.at.resize(launch.program.code.size());
    counters.wider.resize(launch.program.neighbours);
  }
  // Notes that the access came to this allocation of global memory.
  void reaches(const MemoryAccess& access, const Range& allocation) {
    last_range[access.index] = sees_other(access, allocation) ? Range{} : allocation;
    if (allocation.begin) reached[access.index].insert(allocation.begin);
  }
  // Whether the access may find other words there than lie there. Then its lanes load one by one (access.cc). It keeps
  // no range, because access_row() would take a row within that range at once.
  bool sees_other(const MemoryAccess& access, const Range& allocation) const {
    return sees_other_words && access.op == MemoryOp::kLoad && allocation.host_reaches;
  }
  uint64_t random_below(uint64_t n) { return random() % n; }

  LaunchCounters counters{};
  std::vector<Range> last_range;  // by Program::accesses: the allocation of its last access, and likely of its next
  std::vector<std::set<uint64_t>> reached;  // likewise: the starts of all its allocations
  // Likewise: whether its value may differ on a card, because threads raced there, or because it found shared or local
  // memory that nobody wrote.
  std::vector<bool> contested, unwritten;
  std::vector<NotedPlaces> noted;  // likewise: of its last store that was noted
  std::mt19937_64 random;
  uint64_t clock;        // of the card; later than in any earlier launch
  uint64_t changes = 0;  // atomics with a result, and copies, that changed memory (stall)
  Turns turns{};
  const bool sees_other_words;                // the kernel may see other words than lie there (OtherWords)
  bool concurrent = false;                    // other threads of the host update global memory, too
  std::string output{};                       // of printf
  std::map<uint64_t, uint32_t> conditions{};  // of cudaGraphSetConditional: handle → value

  // Of launches from this kernel (device_runtime).
  std::vector<StartedWork> children{};                  // in the order of their calls
  std::map<uint64_t, StartedWork> parameter_buffers{};  // by address: not launched yet
  std::map<uint64_t, Status> last_errors{};             // by the thread's number in the grid
  uint64_t handles = 0;                                 // of streams and events, so far

  Outcome fault{};                   // the first error inside the kernel
  bool faulted = false;              // the launch ends now
  int32_t turns_after_fault = 4096;  // that are left, if the kernel continues after a bad access
  std::string stopped_at{};          // what a thread was doing at an interruption, for a person; else empty
  Findings findings{};
  std::map<BadAccess, size_t> bad_accesses{};  // → in findings
};

}  // namespace lockstep
