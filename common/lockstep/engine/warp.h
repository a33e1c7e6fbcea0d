// warp: 32 lanes that run one program. Lanes that part at a branch become paths; paths meet again at joins.
//
// A join is soft: lanes wait there for the others. But if the others spin or sleep at a barrier, the waiting lanes
// continue alone, as threads do since Volta. Frames hold registers: one frame for the kernel and one for each call.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

#include "base/findings.h"
#include "count/counters.h"
#include "engine/lane_races.h"
#include "engine/launch.h"
#include "engine/pending_copies.h"
#include "engine/turns.h"
#include "engine/written_memory.h"
#include "program/program.h"

namespace lockstep {

class Block;
struct LaunchState;

struct AlignedDelete {
  void operator()(std::byte* p) const { ::operator delete[](p, std::align_val_t{64}); }
};
using AlignedBytes = std::unique_ptr<std::byte[], AlignedDelete>;
AlignedBytes aligned_bytes(size_t bytes);  // zeroed

struct Frame {
  uint32_t function = 0;  // index into Program::functions
  AlignedBytes registers;
  std::vector<std::byte> params;  // param_bytes() for each lane, lane 0 first
  uint64_t local_base = 0;        // of the function's variables in the lane's local memory
  uint64_t allocated = 0;         // bytes of local memory behind them, by alloca
  Mask live = 0;                  // lanes that have not returned from the call
  Frame* caller = nullptr;
  const CallSite* call = nullptr;
  uint32_t return_pc = 0;
  uint32_t depth = 0;     // calls between the kernel and this frame
  bool followed = false;  // an observer wants to see each of its instructions

  uint32_t param_bytes() const { return static_cast<uint32_t>(params.size() / kWarpSize); }  // of one lane
};

struct Join {
  uint32_t pc = 0;
  Frame* frame = nullptr;
  Mask expected = 0, arrived = 0;
  Join* parent = nullptr;  // where the lanes meet others after this join
};

// Where the paths of one warp that parted at a branch wait for each other. Freed joins are used again.
class Joins {
 public:
  Join* add(const Join& join) {
    if (spare_.empty()) spare_.push_back(&storage_.emplace_back());
    Join* added = spare_.back();
    spare_.pop_back();
    *added = join;
    in_use_.push_back(added);
    return added;
  }
  void free(Join* join) {
    std::erase(in_use_, join);
    spare_.push_back(join);
  }
  const std::vector<Join*>& in_use() const { return in_use_; }

 private:
  std::deque<Join> storage_;
  std::vector<Join*> in_use_, spare_;
};

struct Path {
  enum State : uint8_t { kRunnable, kAtBarrier, kAtWarpBarrier, kAtCollective, kAtCluster } state = kRunnable;
  bool yielded = false;
  // At an early meeting, the path waits for others that may come. It goes on alone if they take too long.
  enum Patience : uint8_t { kPatient, kWaits, kImpatient } patience = kPatient;
  Mask mask = 0;
  uint32_t pc = 0;  // the next instruction; of a waiting path, the instruction that waits
  Frame* frame = nullptr;
  Join* join = nullptr;
  Mask waits_for = 0;                  // kAtWarpBarrier, kAtCollective: the lanes that must arrive
  uint32_t barrier = 0;                // kAtBarrier: which of the 16
  const BarrierUse* use = nullptr;     // kAtBarrier
  uint32_t looked_at = kNowhere;       // its last instruction that may have waited for other threads
  uint32_t looked_in_vain = kNowhere;  // its last look at what other warps write, if it was a look and no arrival
};

// kBlocked: only other threads can wake it. kYielded: it probably spins and waits for others. kTurnOver: its turn is
// used up.
enum class Progress : uint8_t { kDone, kBlocked, kYielded, kTurnOver };

// The bytes of one lane's register.
inline uint32_t bytes_of(Width width) {
  return width == Width::k16 ? 2 : width == Width::k32 ? 4 : width == Width::k64 ? 8 : 16;
}

// Writes value(l) into the register of each lane l in `mask`.
template <class Value>
void write_lanes(std::byte* registers, uint32_t offset, Width width, Mask mask, const Value& value) {
  for (const uint32_t l : each_lane(mask)) {
    if (width == Width::k64)
      lanes<uint64_t>(registers, offset)[l] = value(l);
    else if (width == Width::k16)
      lanes<uint16_t>(registers, offset)[l] = static_cast<uint16_t>(value(l));
    else
      lanes<uint32_t>(registers, offset)[l] = static_cast<uint32_t>(value(l));
  }
}

class Warp {
 public:
  Warp(Block& block, const Launch& launch, LaunchState& state, uint32_t index);

  void begin_launch(const Launch& launch, LaunchState& state);  // the next, of the same kernel and shape
  void start(uint64_t block);                                   // again, for the block with this number
  Progress run();  // until every path has ended, waits, or has used its turn
  // Its next turn would be the same as the last one, because nothing has changed that it looks at.
  bool sleeps() const;

  const Launch& launch() const { return *launch_; }
  LaunchState& state() const { return *state_; }
  Block& block() const { return block_; }
  uint32_t index() const { return index_; }
  Site site(uint32_t lane, uint32_t pc) const;  // of one of its threads
  Mask live() const { return live_; }
  bool done() const { return live_ == 0; }
  bool spins() const { return turns_.suspicious; }  // its last turn looked as if it waited for other threads
  uint64_t state_hash() const;  // of everything that decides its next steps, except shared and global memory
  const std::vector<Path>& paths() const { return paths_; }
  Chain& chain() { return chain_; }                // since the block's last barrier
  uint64_t waits() const { return waits_; }        // one after the other (waits.h)
  uint64_t branches() const { return branches_; }  // executed, since the block began
  LaneRaces& lane_races() { return lane_races_; }
  PendingCopies& copies() { return copies_; }
  const PendingCopies& copies() const { return copies_; }
  void pass_cluster(uint64_t waits);  // paths that wait at barrier.cluster continue. waits: of the warps that pass
  void pass_barrier(uint32_t id, uint32_t reduced, uint64_t waits);  // likewise; `reduced`: the result of bar.red
  void hand_over_at(uint64_t mbarrier);                              // arrives there. The address lies in shared memory
  void take_over_at(uint64_t mbarrier);                              // finds a phase of it complete

  // Of the running path, for handlers.
  Frame& frame() const { return *frame_; }
  std::byte* registers() const { return frame_->registers.get(); }
  std::byte* local_memory(uint32_t lane) const { return local_.get() + lane * local_bytes(); }
  uint64_t local_bytes() const { return launch_->shape.local_bytes; }
  WrittenMemory& written_local() { return written_local_; }

 private:
  void set_preset(Frame& frame, const Preset& preset);
  uint64_t special_value(Special special, uint32_t lane) const;
  template <bool kWatched>
  void execute(Path path);
  void access_watched(Path& path, const MemoryAccess& access, Mask mask);
  std::byte* reached(Space space, uint64_t address, uint32_t bytes, Range& last) const;
  void note_changes(const std::byte* before, const std::byte* now, uint32_t bytes);
  [[gnu::noinline]] void begin_next_turn();  // apart from the loop that runs every instruction
  std::optional<Progress> end_turn();
  bool step(Path& path, const Instruction& in, Mask mask);  // control; false: the path has ended or waits
  [[gnu::noinline]] bool step_apart(Path& path, const Instruction& in, Mask mask);  // of step()

  // Paths. Those that return a bool give false if no lane of `path` can run on. `mask` is never empty.
  void branch(Path& path, uint32_t target, Mask taken, uint32_t meeting);
  void branch_indexed(Path& path, const Instruction& in, Mask mask);
  bool arrive(Path& path, const Instruction& in);
  bool meets_early(Path& path);
  bool end_lanes(Path& path, Mask leaving);
  bool call(Path& path, const Instruction& in, Mask mask);
  void access_strongly(Path& path, const MemoryAccess& access, Mask mask);
  void allocate_local(Path& path, const Instruction& in, Mask mask);
  uint64_t local_end(const Frame& frame) const;
  void forget_local(Mask mask, uint64_t offset, uint64_t bytes);  // new variables begin there
  void fail_stack(const Path& path);
  void enter(Path& path, const CallSite& site, uint32_t function, uint32_t return_pc);
  void return_lanes(Path& path, Mask mask);
  bool wait_at_barrier(Path& path, const Instruction& in, Mask mask);
  Mask meet(Path& path, Mask mask, const uint32_t* members, Path::State state);
  bool wait_at_cluster(Path& path, Mask mask);
  bool wait_at_warp_barrier(Path& path, const Instruction& in, Mask mask);
  const Collective& collective_at(uint32_t pc) const;
  void bring_together(uint32_t pc, Mask together, const uint32_t* members);
  void note_groups(uint32_t pc);
  void run_collective(uint32_t pc, Frame& frame, Mask active);
  void give_reduced(const Path& path, uint32_t reduced);
  int32_t set_aside(const Frame& frame, int32_t budget);
  int32_t show_step(const Path& path, const Instruction& in, int32_t budget);
  int32_t show_last(const Path& path, const Instruction* next, int32_t budget);
  void show(Frame& frame, uint32_t pc, Mask came, Mask mask);
  bool collective(Path& path, Mask mask);
  bool matrix(Path& path, Mask mask);
  void run_matrix(uint32_t pc, Frame& frame, Mask active);
  void put_aside(const Path& path, Mask mask, uint32_t pc);
  void read_special(const Instruction& in, Mask mask, Mask active);

  bool wake_waiting();
  bool wake_apart();
  template <class Together>
  bool wake_waiting(Together together);
  void pass_lanes(const Path& first, const Path& path, Mask group);
  void run_collective_at(uint32_t pc, Mask active);
  bool release_joins();
  void merge_paths();
  size_t pick();

  void remove_from_joins(Join* join, Mask leaving);
  Frame* new_frame(uint32_t function);
  void leave_frame(Frame* frame, Mask leaving);

  const Launch* launch_;
  LaunchState* state_;
  Block& block_;
  const uint32_t index_;
  uint64_t block_number_ = 0;
  Mask live_ = 0;
  std::vector<Path> paths_;  // all but the running one
  Chain chain_;
  uint64_t clock_ = 0;  // as it was read last
  uint64_t waits_ = 0, branches_ = 0;
  Joins joins_;
  struct Frames {
    std::deque<Frame> storage;               // [0] is the kernel's own
    std::vector<std::vector<Frame*>> spare;  // by function
  } frames_;
  Frame* frame_ = nullptr;
  struct Following {
    bool any = false;         // a frame is followed, or was since the block began
    bool shown = false;       // the last instruction of the running path
    int32_t set_aside = 0;    // the rest of its turn's budget
    Mask came = 0, mask = 0;  // of the last instruction that was neither arithmetic nor memory
  } following_;
  AlignedBytes local_;           // local_bytes() for each lane
  WrittenMemory written_local_;  // of all lanes, one after the other
  PendingCopies copies_;
  LaneRaces lane_races_;
  std::vector<Preset> block_presets_;  // presets that change from block to block
  // A program whose warps wait only for a short time runs in the simplest order. 64 turns were enough for ten steps of
  // a cuda::barrier; a program that hangs in step with them has only 64 of them.
  static constexpr uint32_t kEvenTurns = 64;
  struct OwnTurns {
    bool suspicious = false;              // the last turn looked as if the warp waited for other threads
    int32_t length = kTurn;               // instructions of the turn
    uint64_t busy = kTurn;                // instructions of all turns since one looked so
    int32_t left = kTurn;                 // of them, those that are left
    uint64_t dull = 8 * uint64_t{kTurn};  // instructions of all turns since lanes at a join went on alone
    uint32_t even = kEvenTurns;           // the next so many turns have the same length
  } turns_;
  Sleep sleep_;
};

// The memory that an access to this address may touch. Addresses in shared memory and in a lane's local memory are
// addresses within it.
inline Range range_at(const Warp& warp, Space space, uint64_t address) {
  if (space == Space::kShared) return {kSharedBase, kSharedBase + warp.launch().shape.shared_bytes};
  return space == Space::kLocal ? Range{0, warp.local_bytes()} : warp.launch().memory.find(address);
}

}  // namespace lockstep
