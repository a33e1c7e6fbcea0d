// launch: one kernel launch in flight: the program, its shape, and everything its blocks share.
#pragma once

#include <functional>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/dim3.h"
#include "base/findings.h"
#include "base/limits.h"
#include "base/options.h"
#include "base/status.h"
#include "count/counters.h"
#include "engine/memory.h"
#include "engine/observer.h"
#include "program/program.h"

namespace lockstep {

class Warp;
class Workers;

// A place in a named array: bytes from its beginning, or before it.
struct Element {
  std::string array;
  int64_t offset = 0;
};

// What the host did since the launch before; nothing before the first.
struct HostCalls {
  uint64_t synchronisations = 0;  // calls that waited for the device
  uint64_t allocations = 0;
};

struct Launch {
  const Program& program;
  const Module& module;
  Memory& memory;
  const DeviceLimits& limits;
  std::set<uint64_t>& heap;  // what kernels got from malloc() and have not freed, in this launch or an earlier one
  std::string kernel{};      // as the programmer wrote it (demangled)
  Dim3 grid{}, block{};
  uint64_t shared_bytes = 0;  // static and dynamic
  uint64_t dynamic_shared_bytes = 0;
  uint64_t local_bytes = 0;      // of one thread
  uint32_t resident_blocks = 1;  // how many the card would hold at once
  Schedule schedule{};
  std::mt19937_64 random{};     // of schedule.seed
  uint64_t grid_workspace = 0;  // device memory for cooperative groups' grid barrier, zeroed; 0 if not cooperative
  uint64_t sequence = 0;        // number of this launch on the device
  HostCalls host{};             // what the host did before it
  uint64_t clock = 0;           // what the clocks of the card show
  bool independent = false;     // its blocks may run at the same time
  bool concurrent = false;      // and just now they do: other threads update global memory, too

  LaunchCounters counters{};
  bool counts_traffic = false;       // for the cost model
  uint64_t changes = 0;              // atomics with a result, and copies, that changed memory; for StallWatch
  std::vector<Range> last_range{};   // by Program::accesses: where it went last, almost always where it goes next
  std::string output{};              // what printf printed
  Outcome fault{};                   // the first thing that went wrong inside the kernel
  bool faulted = false;              // stop now
  int32_t turns_after_fault = 4096;  // with the check of memory on, a kernel goes on after its first fault, a while
  bool goes_on = false;              // that check is on
  Observers observers{};             // none: nobody watches
  Findings findings{};
  std::map<std::pair<std::string, uint32_t>, size_t> failed_at{};  // accesses that did: kind and pc → in findings
  // What the programmer calls the allocation at this address, or "device memory".
  std::function<std::string(uint64_t)> allocation_name{};

  uint32_t threads_per_block() const { return static_cast<uint32_t>(block.count()); }
  uint32_t warps_per_block() const { return (threads_per_block() + kWarpSize - 1) / kWarpSize; }
  bool watched() const { return !observers.empty(); }
  uint64_t random_below(uint64_t n) { return random() % n; }

  // Ends the launch: `what`, of the kind that the report names, happened to this lane at this instruction; `detail` is
  // a further line, `other` a second place.
  void fail(Status status, const char* kind, const Warp& warp, uint32_t lane, uint32_t pc, const std::string& what,
            const std::string& detail, const std::optional<Site>& other = {});
  // As fail(), for one lane's access, at `where` if that has a name. With the check of memory on, the kernel goes on
  // without that access.
  void fail_access(Status status, const char* kind, const Warp& warp, uint32_t lane, const MemoryAccess& access,
                   const std::string& what, const std::string& detail, const std::string& where = "");
  // Whether this access went wrong in this way before; if so it is counted.
  bool failed_before(const char* kind, uint32_t pc);

  Site site(const Warp& warp, uint32_t lane, uint32_t pc) const;
  Site site(const Dim3& block, uint32_t warp, uint32_t lane, uint32_t pc) const;
  // The array at an offset in the block's shared memory, or at an address.
  Element in_shared(uint64_t offset) const;
  Element in_global(uint64_t address) const;
  // "s_tile[17]": the element of `bytes` bytes at an offset in the block's shared memory, or at an address.
  std::string name_of_shared(uint64_t offset, uint32_t bytes) const;
  std::string name_of_global(uint64_t address, uint32_t bytes) const;
  // "file:line", the learner's own line where the code was inlined, or "PTX line n".
  std::string place(uint32_t pc) const;
  std::pair<std::string, uint32_t> source_line(uint32_t pc) const;
};

// "write at scan.cu:12 by block (0,0,0), thread (17,0,0)"
std::string text(const Site& site);
// A block's coordinates, from its number in the order in which blocks start.
Dim3 block_index(const Dim3& grid, uint64_t linear);

// A thread's coordinates within its block, from its place in the block's order.
Dim3 thread_index(const Launch& launch, uint32_t linear);

// Runs all blocks; the workers help if they may and if it is worth waking them. What is counted and found does not
// depend on them.
void run_grid(Launch& launch, Workers& workers);

}  // namespace lockstep
