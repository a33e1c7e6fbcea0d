// Where lanes wait for others: barriers of the block, __syncwarp, and collectives.
#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <utility>

#include "base/words.h"
#include "engine/access.h"
#include "engine/block.h"
#include "engine/collective.h"
#include "engine/fault.h"
#include "engine/matrix_use.h"
#include "program/cuda_names.h"

namespace lockstep {

bool Warp::wait_at_barrier(Path& path, const Instruction& in, Mask mask) {
  const BarrierUse& use = launch_->program.barriers[in.index];
  const uint32_t l = first_lane(mask);
  const uint32_t id = lanes<uint32_t>(registers(), use.id)[l] % Block::kBarriers;
  const uint32_t threads = use.threads ? lanes<uint32_t>(registers(), use.threads)[l] : 0;
  if (use.op == BarrierUse::kArrive) {
    for (Observer* observer : launch_->observers) observer->arrive_at_barrier(*this, id, mask);
    block_.arrive_only(id, kWarpSize, threads, waits_);
    ++path.pc;
    return true;
  }
  for (Observer* observer : launch_->observers) observer->wait_at_barrier(*this, path.pc, mask);
  if (use.op != BarrierUse::kSync) block_.contribute(id, *lanes<Mask>(registers(), use.predicate), mask);
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  // Written in place: a copy of values that were just written would wait for the writes.
  Path& waiting = paths_.emplace_back(path);
  waiting.mask = mask;
  waiting.state = Path::kAtBarrier;
  waiting.barrier = id;
  waiting.use = &use;
  waiting.waits_for = threads;
  return false;
}

void Warp::pass_barrier(uint32_t id, uint32_t reduced, uint64_t waits) {
  lane_races_.begin_interval();
  if (state_->turns.shared) [[unlikely]]
    sleep_.wake();
  else
    turns_.left = kTurn;
  for (Path& path : paths_) {
    if (path.state != Path::kAtBarrier || path.barrier != id) continue;
    waits_ = std::max(waits_, waits);
    path.state = Path::kRunnable;
    ++path.pc;
    if (path.use->op != BarrierUse::kSync) [[unlikely]]
      give_reduced(path, reduced);
  }
}

// The result of bar.red, for lanes that have just passed it.
[[gnu::noinline, gnu::cold]] void Warp::give_reduced(const Path& path, uint32_t reduced) {
  std::byte* file = path.frame->registers.get();
  if (path.use->op == BarrierUse::kRedPopc)
    write_lanes(file, path.use->d, Width::k32, path.mask, [&](uint32_t) { return reduced; });
  else
    set_predicate(file, path.use->d, reduced ? kFullMask : 0, path.mask);
  if (path.frame->followed) show(*path.frame, path.pc - 1, path.mask, path.mask);
}

// barrier.cluster.wait: lanes continue if all threads of their phase have arrived.
bool Warp::wait_at_cluster(Path& path, Mask mask) {
  const Mask waiting = mask & block_.arrived_at_cluster(index_);
  if (!waiting) return true;
  if (waiting != path.mask) put_aside(path, path.mask & ~waiting, path.pc + 1);
  path.mask = waiting;
  path.state = Path::kAtCluster;
  paths_.push_back(path);
  return false;
}

void Warp::pass_cluster(uint64_t waits) {
  lane_races_.begin_interval();
  waits_ = std::max(waits_, waits);
  sleep_.wake();
  for (Path& path : paths_)
    if (path.state == Path::kAtCluster) path.state = Path::kRunnable, ++path.pc;
}

// One number for a word of 4 bytes, whether it is reached as shared memory or by a generic address.
static uint64_t word_in_shared(uint64_t address) { return (kSharedWindow + address) / 4; }

// The words of 4 bytes that these lanes access. A word that neighbouring lanes share is given once.
template <class Function>
static void for_each_word(const MemoryAccess& access, Mask mask, const uint64_t* at, Function use) {
  const uint64_t last = (access.bytes * access.count - 1) / 4;
  for (const uint32_t l : each_lane(mask)) {
    if (l != first_lane(mask) && at[l] == at[l - 1]) continue;
    const uint64_t first = access.space == Space::kShared ? word_in_shared(at[l]) : at[l] / 4;
    for (uint64_t word = first; word <= first + last; ++word) use(word);
  }
}

// A strong access. What a warp writes carries the waits that it had before this access: the arrivals at one counter do
// not wait for each other. So an atomic that changes memory is an arrival, and no wait, unless the warp had looked
// there before in vain. An atomic that changes nothing is a look.
void Warp::access_strongly(Path& path, const MemoryAccess& access, Mask mask) {
  std::array<uint64_t, kWarpSize> at;
  read_addresses(*this, access, mask, at.data());
  const bool reads = access.may_spin && (access.op == MemoryOp::kLoad || access.op == MemoryOp::kAtomic);
  std::optional<uint64_t> seen;
  if (reads)
    for_each_word(access, mask, at.data(),
                  [&](uint64_t word) { seen = std::max(seen, block_.hand_overs().look(word, index_)); });
  const uint64_t changes = state_->changes;
  access.handler(*this, access, mask);
  const bool only_looked = reads && state_->changes == changes;
  if (!only_looked)
    for_each_word(access, mask, at.data(), [&](uint64_t word) { block_.hand_overs().write(word, index_, waits_); });
  if (!reads) return;
  if (seen) {
    const bool waited = only_looked || path.looked_in_vain == access.pc;
    if (waited || *seen != waits_) block_.hand_overs().note_order();
    waits_ = std::max(waits_, *seen + waited);
  }
  path.looked_in_vain = only_looked ? access.pc : kNowhere;
}

void Warp::hand_over_at(uint64_t mbarrier) { block_.hand_overs().write(word_in_shared(mbarrier), index_, waits_); }

void Warp::take_over_at(uint64_t mbarrier) {
  if (const auto seen = block_.hand_overs().look(word_in_shared(mbarrier), index_)) {
    block_.hand_overs().note_order();
    waits_ = std::max(waits_, *seen + 1);
  }
}

// Whether all lanes, active or not, name the same lanes: the usual case, a literal mask.
static bool all_name_one(const uint32_t* members) {
  uint32_t difference = 0;
  for (uint32_t l = 0; l < kWarpSize; ++l) difference |= members[l] ^ members[0];
  return difference == 0;
}

// A card stops at lanes whose mask names none of those that come.
static void fail_unnamed(const Warp& warp, uint32_t pc, uint32_t lane, Mask named) {
  const std::string name = cuda_name(warp.launch().program, pc);
  fail(warp,
       {Status::kIllegalInstruction, "mask_mismatch", lane, pc,
        words("{call} of lanes that their own mask does not name", {{"call", name}}),
        words("One is lane {lane} of its warp. Its mask is {mask}, and no lane of that mask comes with it.",
              {{"lane", std::to_string(lane)}, {"mask", hex(named)}}) +
            "\nNext: " +
            words("give a mask with the bit of every lane that calls. __ballot_sync() before the branch makes it; "
                  "__activemask() does not.")});
}

// The lanes of `mask` reach an instruction where lane l waits for the lanes of members[l]. Gives the lanes that may
// continue at once. If that is not all of them, the path keeps only these lanes; if it is 0, the path waits, or the
// launch has failed.
//
// A caller whose own mask leaves it out: an H200 stops if no lane of that mask comes with it, else the caller takes
// part as if it were named. That was measured with one mask for the whole warp, and nobody elsewhere. Not measured:
// lanes with several such masks (each is asked about its own), and such a caller while a lane of its mask is elsewhere
// (it waits for that lane as the others do).
Mask Warp::meet(Path& path, Mask mask, const uint32_t* members, Path::State state) {
  if (all_name_one(members) && !(members[0] & live_ & ~mask) && !(mask & ~members[0])) return mask;
  Mask wanted = 0, group = 0;
  const Mask first = members[first_lane(mask)];
  for (const uint32_t l : each_lane(mask)) {
    if (!(members[l] & mask)) return fail_unnamed(*this, path.pc, l, members[l]), 0;
    wanted |= members[l];
    group |= static_cast<Mask>(members[l] == first) << l;
  }
  if (!(wanted & live_ & ~mask)) return mask;
  if (mask != path.mask) put_aside(path, path.mask & ~mask, path.pc + 1);
  if (group != mask) put_aside(path, mask & ~group, path.pc);  // lanes with another mask run this instruction again
  path.mask = group;
  if (!(first & live_ & ~group)) return group;
  path.state = state;
  path.waits_for = first;
  paths_.push_back(path);
  if (!wake_waiting()) wake_apart();
  return 0;
}

bool Warp::wait_at_warp_barrier(Path& path, const Instruction& in, Mask mask) {
  const auto* members = lanes<uint32_t>(registers(), in.a);
  mask = meet(path, mask, members, Path::kAtWarpBarrier);
  if (!mask) return false;
  bring_together(path.pc, mask, members);
  if (!all_name_one(members) && lanes_with(members, members[first_lane(mask)], mask) != mask) note_groups(path.pc);
  ++path.pc;
  return true;
}

// A card goes on with each group for itself, which the report learns.
void Warp::note_groups(uint32_t pc) { ++state_->counters.at[pc].divergent; }

// These lanes pass the __syncwarp() or the collective at `pc` together; lane l names the lanes of members[l].
void Warp::bring_together(uint32_t pc, Mask together, const uint32_t* members) {
  lane_races_.begin_interval();
  if (!launch_->watched()) return;
  LaneSync kind = LaneSync::kWarpBarrier;
  if (launch_->program.code[pc].kind != Kind::kWarpBarrier) kind = LaneSync::kCollective;
  for (Observer* observer : launch_->observers) observer->sync_lanes(*this, pc, together, members, kind);
}

const Collective& Warp::collective_at(uint32_t pc) const {
  return launch_->program.collectives[launch_->program.code[pc].index];
}

void Warp::run_collective(uint32_t pc, Frame& frame, Mask active) {
  const Collective& c = collective_at(pc);
  std::byte* const registers = frame.registers.get();
  if (is_shuffle(c))
    for (Observer* observer : launch_->observers) {
      observer->shuffle(*this, pc, active, c, registers);
      frame.followed |= observer->follows(*this, frame, pc, active);
    }
  lockstep::run_collective(c, registers, active);
  following_.any |= frame.followed;
  if (frame.followed) show(frame, pc, active, active);
}

// An instruction of a followed frame has run.
void Warp::show(Frame& frame, uint32_t pc, Mask came, Mask mask) {
  frame.followed = false;
  for (Observer* observer : launch_->observers) frame.followed |= observer->ran(*this, {frame, pc, came, mask});
}

bool Warp::collective(Path& path, Mask mask) {
  const Collective& c = collective_at(path.pc);
  if (c.member_mask == 0) {  // without .sync: the active lanes
    run_collective(path.pc, frame(), mask);
    ++path.pc;
    return true;
  }
  const auto* members = lanes<uint32_t>(registers(), c.member_mask);
  mask = meet(path, mask, members, Path::kAtCollective);
  if (!mask) return false;
  bring_together(path.pc, mask, members);
  // Lanes with different masks, as tiles of a warp have them, form separate groups.
  for (Mask rest = mask, group = 0; rest; rest &= ~group) {
    group = all_name_one(members) ? rest : lanes_with(members, members[first_lane(rest)], rest);
    if (group != rest) note_groups(path.pc);
    run_collective(path.pc, frame(), group);
  }
  ++path.pc;
  return true;
}

// wmma, mma, ldmatrix, stmatrix: all lanes of the warp must come.
bool Warp::matrix(Path& path, Mask mask) {
  const auto* members =
      lanes<uint32_t>(registers(), launch_->program.matrices[launch_->program.code[path.pc].index].member_mask);
  mask = meet(path, mask, members, Path::kAtCollective);
  if (!mask) return false;
  bring_together(path.pc, mask, members);
  run_matrix(path.pc, frame(), mask);
  ++path.pc;
  return true;
}

void Warp::run_matrix(uint32_t pc, Frame& frame, Mask active) {
  if (active != kFullMask) {
    const uint32_t missing = first_lane(~active);
    return fail(*this, {Status::kIllegalInstruction, "mask_mismatch", first_lane(active), pc,
                        words("{instruction} without lane {lane} of the warp",
                              {{"instruction", launch_->program.names[pc]}, {"lane", std::to_string(missing)}}),
                        words("All 32 lanes of a warp must come to this instruction together.") + "\nNext: " +
                            words("make the block's size a multiple of 32, and let the condition before it be the same "
                                  "for the whole warp.")});
  }
  Frame* const running = std::exchange(frame_, &frame);
  run_matrix_use(*this, launch_->program.matrices[launch_->program.code[pc].index]);
  frame_ = running;
  if (frame.followed) show(frame, pc, active, active);
}

namespace {

// Copies the lanes of `mask` of one register from one frame to another frame of the same function.
void copy_lanes(std::byte* to, std::byte* from, uint32_t offset, Width width, Mask mask) {
  if (width == Width::kPred) return set_predicate(to, offset, *lanes<Mask>(from, offset), mask);
  if (offset == 0) return;
  const uint32_t bytes = bytes_of(width);
  for (const uint32_t l : each_lane(mask)) std::memcpy(to + offset + l * bytes, from + offset + l * bytes, bytes);
}

}  // namespace

// The lanes of `active` run the collective at `pc`. Lanes that called the function separately have separate frames:
// then it runs in a copy of the first frame's registers, and the other frames' lanes are copied in and out.
void Warp::run_collective_at(uint32_t pc, Mask active) {
  std::vector<const Path*> group;
  bool one_frame = true;
  for (const Path& path : paths_) {
    if (path.state != Path::kAtCollective || path.pc != pc || !(path.mask & active)) continue;
    group.push_back(&path);
    one_frame &= path.frame == group[0]->frame;
  }
  if (launch_->program.code[pc].kind == Kind::kMatrix)  // lanes of several calls do not count as together
    return run_matrix(pc, *group[0]->frame, one_frame ? active : group[0]->mask);
  if (one_frame) return run_collective(pc, *group[0]->frame, active);
  const Collective& c = collective_at(pc);
  const size_t bytes = launch_->program.functions[group[0]->frame->function].register_bytes;
  const AlignedBytes copy = aligned_bytes(bytes);
  std::memcpy(copy.get(), group[0]->frame->registers.get(), bytes);
  const bool vote = c.op >= CollectiveOp::kVoteAll && c.op <= CollectiveOp::kVoteBallot;
  for (const Path* path : group) {
    std::byte* own = path->frame->registers.get();
    copy_lanes(copy.get(), own, c.a, vote ? Width::kPred : c.wide ? Width::k64 : Width::k32, path->mask);
    copy_lanes(copy.get(), own, c.b, Width::k32, path->mask);
    copy_lanes(copy.get(), own, c.c, Width::k32, path->mask);
  }
  if (is_shuffle(c))
    for (Observer* observer : launch_->observers) observer->shuffle(*this, pc, active, c, copy.get());
  lockstep::run_collective(c, copy.get(), active);
  const bool gives_predicate = vote && c.op != CollectiveOp::kVoteBallot;
  for (const Path* path : group) {
    std::byte* own = path->frame->registers.get();
    copy_lanes(own, copy.get(), c.d, gives_predicate ? Width::kPred : Width::k32, path->mask & active);
    copy_lanes(own, copy.get(), c.p, Width::kPred, path->mask & active);
  }
}

static bool waits_for_lanes(const Path& path) {
  return path.state == Path::kAtWarpBarrier || path.state == Path::kAtCollective;
}

// Groups continue if all lanes that they wait for have arrived or exited. Lanes may meet at different __syncwarp()
// calls; a collective needs all its lanes at the same pc.
bool Warp::wake_waiting() {
  return wake_waiting([](const Path& one, const Path& other) {
    return other.state == one.state && (one.state == Path::kAtWarpBarrier || other.pc == one.pc);
  });
}

// After wake_waiting(): all lanes of one mask wait, but at different calls, so that nobody can wake them. A card goes
// on. Its compiler writes a collective in a branch as a barrier of the mask's lanes, which meet wherever they are, and
// then the exchange itself, of the lanes that are there. Measured on an H200 with two halves at two shuffles. Not
// measured: a shuffle and a __syncwarp(), for which ptxas writes the same barrier.
bool Warp::wake_apart() {
  return wake_waiting(
      [](const Path& one, const Path& other) { return waits_for_lanes(other) && other.waits_for == one.waits_for; });
}

template <class Together>
bool Warp::wake_waiting(Together together) {
  bool any = false;
  for (size_t i = 0; i < paths_.size(); ++i) {
    if (!waits_for_lanes(paths_[i])) continue;
    const Path path = paths_[i];
    Mask here = 0, group = 0;
    std::array<uint32_t, kWarpSize> named{};  // the mask of each lane that waits
    for (const Path& other : paths_) {
      if (!together(path, other)) continue;
      here |= other.mask;
      if (other.mask & path.waits_for || other.waits_for == path.waits_for) group |= other.mask;
      for (const uint32_t l : each_lane(other.mask)) named[l] = other.waits_for;
    }
    if (path.waits_for & live_ & ~here) continue;
    bring_together(path.pc, group, named.data());
    if (lanes_with(named.data(), path.waits_for, group) != group) note_groups(path.pc);
    for (size_t other = 0; other < paths_.size(); ++other)
      if (together(path, paths_[other]) && paths_[other].mask & group) pass_lanes(path, paths_[other], group);
    any = true;
  }
  return any;
}

// The lanes of `group` that wait where `path` does go on. `first` is the path that has woken them.
void Warp::pass_lanes(const Path& first, const Path& path, Mask group) {
  const uint32_t pc = path.pc;
  const Path::State state = path.state;
  const auto goes_on = [&](const Path& other) { return other.state == state && other.pc == pc && other.mask & group; };
  Mask here = 0;
  for (const Path& other : paths_) here |= goes_on(other) ? other.mask : 0;
  if (state == Path::kAtCollective) run_collective_at(pc, here);
  if (pc != first.pc && (state == Path::kAtCollective || first.state == Path::kAtCollective))
    for (Observer* observer : launch_->observers)
      observer->meet_apart(*this, {{index_, here}, pc}, {{index_, first.mask}, first.pc});
  for (Path& other : paths_)
    if (goes_on(other)) other.state = Path::kRunnable, ++other.pc;
}

}  // namespace lockstep
