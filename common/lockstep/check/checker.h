// checker: watches one device's launches for races, reads of memory that was never written, and misused
// synchronisation; and its copies for races with work of other streams. In: events from the engine (observer.h), and
// the order of the streams. Out: findings, at the end of each launch. Accesses out of bounds are left out: the engine
// finds them itself (access_fault).
#pragma once

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/task.h"
#include "check/host_uses.h"
#include "check/lane_values.h"
#include "check/order.h"
#include "check/race_advice.h"
#include "check/races.h"
#include "check/shadow.h"
#include "check/stream_races.h"
#include "check/touched.h"
#include "engine/memory.h"
#include "engine/observer.h"

namespace lockstep {

class Checker : public Observer {
 public:
  // Throws std::runtime_error if this process may not reserve the addresses for its records.
  Checker(const Checks& checks, const Memory& memory);

  bool allocated(uint64_t address, uint64_t bytes) override;
  void host_wrote(uint64_t address, uint64_t bytes) override;
  void freed(uint64_t address, uint64_t bytes) override;

  void begin_launch(const Launch& launch) override;
  void end_launch(Findings& findings) override;
  void begin_block(const Block& block) override;

  void access(const ObservedAccess& access) override;
  void other_access(const ObservedAccess& access) override { Checker::access(access); }
  void fence(const Warp& warp, Mask mask, Scope scope) override;

  void sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t* members, LaneSync kind) override;
  void meet_apart(const Warp& warp, const Arrival& one, const Arrival& other) override;
  bool follows(const Warp& warp, const Frame& frame, uint32_t pc, Mask active) override;
  bool ran(const Warp& warp, const RanInstruction& ran) override;
  void arrive_at_barrier(const Warp& warp, uint32_t barrier, Mask mask) override;
  void open_barrier(const Block& block, const OpenedBarrier& opened) override;

  // Races of work in two streams, and of work and the host: if the program tells of the order of its streams.
  void begin_work(const Task& work);
  void use(const Rows& rows, bool writes);  // by the present work, which is no launch
  void touched(const HostTouch& touch);
  void forget_work();                     // everything has ended, and modules may be unloaded
  std::vector<HostUse> take_host_uses();  // of the last launch
  Findings take_findings();               // of what happened between launches

 private:
  // Tells causes apart while a kernel runs, before any text is made.
  struct Cause {
    std::string_view kind;
    uint32_t one = 0, other = 0;  // pcs of the two accesses, the smaller first; of a single access, twice the same
    uint64_t array = 0;           // where the array begins, if the finding is about memory
    auto operator<=>(const Cause&) const = default;
  };

  // The records of one resident block.
  struct BlockChecks {
    BlockOrder order;
    std::array<std::vector<Record>, 3> cells;  // of the block's shared memory; the three are those of records_
    std::vector<uint64_t> written;             // likewise
  };

  static Cause between(std::string_view kind, uint32_t pc, uint32_t other_pc, uint64_t array = 0) {
    return {kind, std::min(pc, other_pc), std::max(pc, other_pc), array};
  }

  // An access, and for each lane the offset of its data from the start of the block's shared memory or of the device's
  // global memory.
  struct Checked {
    const ObservedAccess& made;
    BlockChecks& block;
    std::array<uint64_t, kWarpSize> offsets;

    const Warp& warp() const { return made.warp; }
    const MemoryAccess& access() const { return made.access; }
    uint32_t bytes() const { return made.access.bytes * made.access.count; }  // of one lane
    bool shared() const { return made.space == Space::kShared; }
  };

  // Whether this cause was found before. If so, its finding counts one more.
  bool count_again(const Cause& cause);
  // The finding's message is its first line, without the kernel. `rest`: the lines below those of the two accesses.
  void add(const Cause& cause, Finding finding, const std::string& rest);

  void check_order(const Checked& checked);
  bool is_strong(const MemoryAccess& access) const;
  void tell_strong(const Checked& checked);
  void check_copies(const Checked& checked);
  void check_written(const Checked& checked);
  void report_race(const Checked& checked, const Conflict& conflict);
  RacePair pair_of(const Checked& checked, const Conflict& conflict, const MemoryAccess* earlier);
  void report_clash(const Checked& checked, const Clash& clash);
  void end_work();
  bool remember(Remembered& remembered) const;
  Cells global_cells() const;
  void report_unwritten(const Checked& checked, uint32_t lane);
  std::string name_of(const Checked& checked, uint64_t offset) const;
  uint64_t array_of(const Checked& checked, uint64_t offset) const;  // the offset at which the array begins
  Site site(const Checked& checked, uint32_t lane) const;
  BlockChecks& checks_of(const Block& block);
  void check_arrivals(const Block& block, const std::vector<Arrival>& arrivals);
  void report_masks(const Warp& warp, uint32_t pc, uint32_t lane);
  void report_unnamed(const Warp& warp, uint32_t pc, uint32_t lane, Mask named);
  void report_undefined(const Warp& warp, const UndefinedUse& use);

  const Checks checks_;
  const Memory& memory_;
  std::unique_ptr<Shadow<uint64_t>> written_;             // of global memory
  std::vector<std::unique_ptr<Shadow<Record>>> records_;  // likewise: writers, readers, other readers; or empty
  std::unique_ptr<StreamRaces> streams_;                  // these three: only if races are checked
  std::unique_ptr<HostUses> host_uses_;
  std::vector<HostUse> last_uses_;
  Findings between_;  // launches
  Order order_{[this](Remembered& remembered) { return remember(remembered); }};
  Touched touched_;             // of global memory, by the launch,
  bool notes_touched_ = false;  // if its order may need clocks
  LaneValues lane_values_;
  std::deque<BlockChecks> blocks_;  // by Block::slot(); they stay where they are
  const Launch* launch_ = nullptr;
  bool of_library_ = false;  // the launch is of a kernel of CUB's or Thrust's
  std::map<Cause, size_t> causes_;
  std::vector<Finding> findings_;
  std::vector<Conflict> conflicts_;
};

}  // namespace lockstep
