// launch: one kernel launch in flight: the program, its shape, and everything its blocks share.
#pragma once

#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "counters.h"
#include "device.h"
#include "memory.h"
#include "program.h"

namespace lockstep {

class Warp;

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

  LaunchCounters counters{};
  std::vector<Range> last_range{};  // by Program::accesses: where it went last, almost always where it goes next
  std::string output{};             // what printf printed
  Outcome fault{};                  // the first thing that went wrong inside the kernel
  std::pair<std::string, uint32_t> fault_place{};  // file and line
  std::string fault_kind{};                        // as the report names it: "out_of_bounds"
  bool faulted = false;

  uint32_t threads_per_block() const { return static_cast<uint32_t>(block.count()); }
  uint32_t warps_per_block() const { return (threads_per_block() + kWarpSize - 1) / kWarpSize; }
  uint64_t random_below(uint64_t n) { return random() % n; }

  // Ends the launch: `what`, of the kind that the report names, happened to this lane at this instruction; `detail` is
  // a further line.
  void fail(Status status, const char* kind, const Warp& warp, uint32_t lane, uint32_t pc, const std::string& what,
            const std::string& detail);
  // "file:line", the learner's own line where the code was inlined, or "PTX line n".
  std::string place(uint32_t pc) const;
  std::pair<std::string, uint32_t> source_line(uint32_t pc) const;
};

// A thread's coordinates within its block, from its place in the block's order.
Dim3 thread_index(const Launch& launch, uint32_t linear);

// Runs all blocks.
void run_grid(Launch& launch);

}  // namespace lockstep
