// checker: watches one device's launches for races, reads of what nothing wrote, and misused synchronisation, and
// makes findings of what it sees. In: events from the engine, in the order in which they happen. It changes nothing
// that a program could notice. Out of bounds and the like are found by the accesses themselves (access.cc).
#pragma once

#include <array>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

#include "base/findings.h"
#include "check/order.h"
#include "check/races.h"
#include "check/shadow.h"
#include "check/written.h"
#include "engine/memory.h"

namespace lockstep {

class Block;
class Warp;
struct Launch;

// Threads that have come to one instruction.
struct Arrival {
  Lanes lanes;
  uint32_t pc = 0;
};

// What is kept for one resident block; the block owns it.
struct BlockChecks {
  BlockOrder order;
  std::array<std::vector<Record>, 3> cells;  // of its shared memory
  std::vector<uint64_t> written;             // likewise
};

class Checker {
 public:
  // Throws std::runtime_error if this process may not have the addresses for what is to be kept.
  Checker(const Checks& checks, const Memory& memory);

  // Global memory outside of kernels.
  bool allocated(uint64_t address, uint64_t bytes);  // false: the system gives no memory to watch it
  void host_wrote(uint64_t address, uint64_t bytes);
  void freed(uint64_t address, uint64_t bytes);

  void begin_launch(Launch& launch);
  void end_launch();  // its findings go to the launch
  void begin_block(const Block& block, BlockChecks& checks);

  // Before the data moves. Addresses of shared memory count from its first byte.
  void global_access(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* addresses);
  void shared_access(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* offsets);
  void fence(const Warp& warp, Mask mask, Scope scope);

  // Lanes of `together` go through __syncwarp or a collective at once, lane l with the mask members[l]. exchange: they
  // also read each other's values, as shuffles do; votes and the like are of whoever of the mask has not ended.
  void sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t* members, bool exchange);
  // A barrier opens for these; whole: it is one of the whole block, without a count.
  void pass_barrier(const Block& block, uint32_t barrier, const std::vector<Arrival>& arrivals, bool whole);
  void arrive(const Warp& warp, uint32_t barrier, Mask mask);  // without waiting (bar.arrive)

 private:
  // What distinguishes causes while a kernel runs, before any text is made.
  using Cause = std::tuple<const char*, uint32_t, uint32_t>;  // kind, one pc, the other

  // Whether this cause was found before; if so it is counted once more.
  bool count_again(const Cause& cause);
  void add(const Cause& cause, Finding finding);

  void check_order(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* bytes, const Cells& cells,
                   SegmentId floor, bool shared);
  void tell_strong(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* bytes, bool shared);
  void check_copies(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* offsets);
  void report_race(const Warp& warp, const MemoryAccess& access, const Conflict& conflict, bool shared);
  void report_unwritten(const Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t byte, bool shared);
  void check_written(const Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* bytes, Written written,
                     bool shared);
  std::string name_of(uint64_t byte, const MemoryAccess& access, bool shared) const;
  void check_arrivals(const Block& block, const std::vector<Arrival>& arrivals);
  void report_mask(const Warp& warp, uint32_t pc, uint32_t lane, const char* what, const std::string& next);

  const Checks checks_;
  const Memory& memory_;
  std::unique_ptr<Shadow<uint64_t>> written_;               // of global memory
  std::array<std::unique_ptr<Shadow<Record>>, 3> records_;  // likewise: writers, readers, other readers
  Order order_;
  Launch* launch_ = nullptr;
  std::map<Cause, size_t> causes_;
  std::vector<Finding> findings_;
  std::vector<Conflict> conflicts_;
};

// An allocation that the checker, if there is one, watches from now on. 0: the system or the card has not that much.
uint64_t allocate_watched(Memory& memory, Checker* checker, uint64_t bytes, bool for_host, bool shared = false);

}  // namespace lockstep
