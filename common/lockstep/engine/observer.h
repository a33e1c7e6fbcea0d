// observer: the interface of checks and of the trace, which watch launches. The engine tells every observer what
// happens, in the order in which it happens, and knows none of them. An observer changes nothing that a program could
// notice.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "base/findings.h"
#include "base/lanes.h"
#include "engine/memory.h"
#include "program/program.h"

namespace lockstep {

class Block;
struct Frame;
struct Launch;

// Where the data of one warp's access lies in this process, lane by lane.
struct LaneAddresses {
  std::array<uint64_t, kWarpSize> at;  // lanes that are not active repeat the first active one
  bool consecutive = false;            // at[l] == at[0] + l · bytes, for all 32 lanes
  uint64_t shared_begin = 0;           // of the block's shared memory, if they lie there; else 0
};

// One access of some lanes of a warp, before the data moves.
struct ObservedAccess {
  const Warp& warp;
  const MemoryAccess& access;
  Mask mask = 0;
  Space space = Space::kGlobal;  // of the addresses: kGlobal, kShared or kLocal
  const LaneAddresses& addresses;
};

// Lanes that have come to one instruction.
struct Arrival {
  Lanes lanes;
  uint32_t pc = 0;
};

// A barrier that opens for these lanes. kCounted: a barrier with a thread count.
struct OpenedBarrier {
  enum Kind : uint8_t { kWholeBlock, kCounted, kCluster } kind = kWholeBlock;
  uint32_t id = 0;
  std::vector<Arrival> arrivals;  // in the order of their warps
};

enum class LaneSync : uint8_t { kWarpBarrier, kCollective };  // why lanes of one warp wait for each other

// An instruction of a frame that is followed: `came` reached it, and `mask` ran it.
struct RanInstruction {
  const Frame& frame;
  uint32_t pc = 0;
  Mask came = 0, mask = 0;
};

class Observer {
 public:
  virtual ~Observer() = default;

  // Global memory. allocated() gives false if the system has no memory to watch the allocation.
  virtual bool allocated(uint64_t /*address*/, uint64_t /*bytes*/) { return true; }
  virtual void host_wrote(uint64_t /*address*/, uint64_t /*bytes*/) {}
  virtual void freed(uint64_t /*address*/, uint64_t /*bytes*/) {}

  virtual void begin_launch(const Launch&) {}
  virtual void end_launch(Findings&) {}  // adds the observer's findings
  virtual void begin_block(const Block&) {}

  virtual void access(const ObservedAccess&) {}        // by ld, st, atom or red
  virtual void other_access(const ObservedAccess&) {}  // by an asynchronous copy, an mbarrier, a texture or a surface
  virtual void fence(const Warp&, Mask, Scope) {}

  // Lanes of `together` pass at once; lane l names the lanes of members[l].
  virtual void sync_lanes(const Warp&, uint32_t /*pc*/, Mask /*together*/, const uint32_t* /*members*/, LaneSync) {}
  // Lanes of one mask pass at different calls, where they would wait for each other for ever.
  virtual void meet_apart(const Warp&, const Arrival&, const Arrival&) {}
  virtual void shuffle(const Warp&, uint32_t /*pc*/, Mask, const Collective&, const std::byte* /*registers*/) {}
  // At a branch these lanes go different ways; those of `taken` jump (brx.idx: to the first of their targets).
  virtual void part_lanes(const Warp&, uint32_t /*pc*/, Mask /*together*/, Mask /*taken*/) {}
  // Before a shuffle of these lanes. True: ran() is called from this shuffle on, after every instruction of the frame,
  // until ran() gives false.
  virtual bool follows(const Warp&, const Frame&, uint32_t /*pc*/, Mask) { return false; }
  virtual bool ran(const Warp&, const RanInstruction&) { return false; }
  virtual void wait_at_barrier(const Warp&, uint32_t /*pc*/, Mask) {}         // of the block
  virtual void arrive_at_barrier(const Warp&, uint32_t /*barrier*/, Mask) {}  // without waiting (bar.arrive)
  virtual void open_barrier(const Block&, const OpenedBarrier&) {}
};
using Observers = std::vector<Observer*>;

// An allocation that all of them watch from now on. 0: the card or the system does not have that much memory.
inline uint64_t allocate_watched(Memory& memory, const Observers& observers, uint64_t bytes, MemoryUse use) {
  const uint64_t address = memory.allocate(bytes, use);
  if (address == 0) return 0;
  if (std::ranges::all_of(observers, [&](Observer* observer) { return observer->allocated(address, bytes); }))
    return address;
  memory.free(address);
  return 0;
}

}  // namespace lockstep
