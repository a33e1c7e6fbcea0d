#include "check/checker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>
#include <utility>

#include "base/align.h"
#include "engine/block.h"

namespace lockstep {
namespace {

// Finding::tells, of races.
constexpr uint8_t kAcrossWarps = 1, kLosesUpdates = 2;

// Whether this lane's store writes the value that the earlier store wrote, or will write: then their order does not
// matter. CUDA defines what memory holds if many threads write the same value. segment: of this store.
bool same_value(const ObservedAccess& made, uint32_t lane, const Record& earlier, SegmentId segment) {
  const MemoryAccess& access = made.access;
  if (access.op != MemoryOp::kStore || access.registers[0] == 0) return false;  // 0: an asynchronous copy
  const size_t width = bytes_of(access.register_width);
  const auto* memory = reinterpret_cast<const std::byte*>(made.addresses.at[lane]);
  bool as_memory = true, as_other = earlier.access == access.index && earlier.segment == segment;
  for (uint32_t e = 0; e < access.count; ++e) {
    const std::byte* values = made.warp.registers() + access.registers[e];
    const std::byte* value = values + lane * width;
    as_memory &= std::memcmp(value, memory + e * access.bytes, access.bytes) == 0;
    as_other &= std::memcmp(value, values + earlier.lane * width, access.bytes) == 0;
  }
  return as_memory || as_other;
}

// Whether enough bytes are written for this access. If a struct is copied whole, or loaded in pieces of eight bytes or
// more, some bytes may be padding, which is never written.
bool is_written(const Written& written, const MemoryAccess& access, uint64_t first) {
  const uint32_t bytes = access.bytes * access.count;
  if (written.all(first, bytes)) return true;
  return (access.only_copied || bytes > 4) && written.any(first, bytes);
}

// An exchange whose result nobody uses is a store.
bool reads_memory(const MemoryAccess& access) {
  const bool exchanges = access.op == MemoryOp::kAtomic && access.atomic == AtomicOp::kExch;
  return access.op != MemoryOp::kStore && !(exchanges && access.registers[0] == 0);
}

Site accessing(Site site, const char* access) {
  site.access = access;
  return site;
}

// CUDA's own C++ libraries have kernels that do on purpose what would be a mistake elsewhere: they read an element of
// shared memory that nothing has written, or let lanes of one warp put different values into one discarded element.
// Neither is a finding in a kernel of these namespaces (docs/lockstep.md names the algorithms). Nobody gains by a
// kernel of such a name: every other finding is the same there, and unwritten shared memory holds garbage
// (Block::start). Where the code says that it stands, by #line or by .loc, decides nothing.
bool is_library_kernel(std::string_view demangled) {
  if (demangled.starts_with("void ")) demangled.remove_prefix(5);  // a template's return type
  return demangled.starts_with("cub::") || demangled.starts_with("thrust::");
}

// Whether something orders accesses to global memory within a block only.
bool has_block_scopes(const Program& program) {
  const auto fences = [](const Instruction& in) { return in.kind == Kind::kFence && in.scope == Scope::kBlock; };
  const auto orders = [](const MemoryAccess& access) {
    return access.order != MemoryOrder::kWeak && access.scope == Scope::kBlock && access.space != Space::kShared;
  };
  return std::ranges::any_of(program.code, fences) || std::ranges::any_of(program.accesses, orders);
}

// Memory allocates whole pages, with at least 512 bytes behind the last byte. Shadows include these bytes, so that
// neighbours' shadows touch and the system keeps them as one mapping.
uint64_t allocation_end(uint64_t first, uint64_t bytes) { return align_up(first + bytes + 512, 4096); }

}  // namespace

Checker::Checker(const Checks& checks, const Memory& memory) : checks_(checks), memory_(memory) {
  if (checks.initialised) written_ = std::make_unique<Shadow<uint64_t>>(memory.reserved() / 64);
  if (!checks.races) return;
  for (int i = 0; i < 3; ++i) records_.push_back(std::make_unique<Shadow<Record>>(memory.reserved() / 4));
  streams_ = std::make_unique<StreamRaces>(memory, global_cells());
  host_uses_ = std::make_unique<HostUses>(memory);
}

bool Checker::allocated(uint64_t address, uint64_t bytes) {
  const uint64_t first = address - memory_.base(), end = allocation_end(first, bytes);
  if (written_ && !written_->open(first / 64, (end - first) / 64)) return false;
  if (host_uses_ && !host_uses_->allocated(address, memory_.base() + end)) return false;
  return std::ranges::all_of(records_, [&](auto& records) { return records->open(first / 4, (end - first) / 4); });
}

void Checker::host_wrote(uint64_t address, uint64_t bytes) {
  if (written_ && bytes) Written(written_->data()).set(address - memory_.base(), bytes);
}

void Checker::freed(uint64_t address, uint64_t bytes) {
  const uint64_t first = address - memory_.base(), end = allocation_end(first, bytes);
  if (written_) written_->close(first / 64, (end - first) / 64);
  if (host_uses_) host_uses_->freed(address, memory_.base() + end);
  for (auto& records : records_) records->close(first / 4, (end - first) / 4);
}

void Checker::begin_launch(const Launch& launch) {
  launch_ = &launch;
  of_library_ = is_library_kernel(launch.names.kernel);
  causes_.clear();  // these belong to a launch that did not reach its end
  blocks_.clear();
  findings_.clear();
  lane_values_.forget();
  if (order_.begin_launch(has_block_scopes(launch.program))) {
    for (auto& records : records_) records->reset();
    if (streams_) streams_->forget_records();
  }
  if (streams_) streams_->begin_launch(launch, order_.first_segment());
}

void Checker::end_launch(Findings& findings) {
  // A read of a word that another thread writes later is found twice, also as a race. The race is the cause.
  const auto races_too = [&](const Cause& read) {
    return std::ranges::any_of(causes_, [&](const auto& entry) {
      const Cause& cause = entry.first;
      return cause.kind == "race" && cause.array == read.array && (cause.one == read.one || cause.other == read.one);
    });
  };
  for (const auto& [cause, index] : causes_)
    if (cause.kind == "uninitialised_read" && races_too(cause)) findings_[index].count = 0;
  for (Finding& finding : findings_)
    if (finding.count) findings.add(std::move(finding));
  end_work();
  blocks_.clear();
  launch_ = nullptr;
}

Checker::BlockChecks& Checker::checks_of(const Block& block) { return blocks_[block.slot()]; }

void Checker::begin_block(const Block& block) {
  if (block.slot() >= blocks_.size()) blocks_.resize(block.slot() + 1);
  BlockChecks& checks = checks_of(block);
  order_.begin_block(checks.order, block.linear(), launch_->shape.warps_per_block());
  if (checks_.initialised) checks.written.assign(launch_->shape.shared_bytes / 64 + 1, 0);
  if (checks_.races)
    for (auto& cells : checks.cells) cells.resize(launch_->shape.shared_bytes / 4 + kWarpSize);
}

bool Checker::count_again(const Cause& cause) {
  const auto found = causes_.find(cause);
  if (found == causes_.end()) return false;
  ++findings_[found->second].count;
  return true;
}

void Checker::add(const Cause& cause, Finding finding, const std::string& rest) {
  finding.kind = cause.kind;
  finding.kernel = launch_->names.kernel;
  finding.message += " in kernel " + finding.kernel;
  if (finding.other) finding.message += "\n  " + text(*finding.other);
  finding.message += "\n  " + text(finding.at) + "\n  " + rest;
  const auto [entry, is_new] = causes_.emplace(cause, findings_.size());
  if (is_new)
    findings_.push_back(std::move(finding));
  else
    findings_[entry->second].see_again(std::move(finding));
}

// ---- memory ----

void Checker::access(const ObservedAccess& made) {
  if (made.space == Space::kLocal) return;
  Checked checked{made, checks_of(made.warp.block()), {}};
  const uint64_t begin = checked.shared() ? made.addresses.shared_begin : memory_.base();
  for (int l = 0; l < kWarpSize; ++l) checked.offsets[l] = made.addresses.at[l] - begin;
  if (checks_.initialised) check_written(checked);
  if (!checks_.races) return;
  if (!checked.shared()) {  // before check_order() replaces the records of earlier launches
    host_uses_->note(made.mask, checked.offsets.data());
    if (streams_->is_beside_others())
      for (const Clash& clash : streams_->clashes(made.access, made.mask, checked.offsets.data()))
        report_clash(checked, clash);
  }
  check_order(checked);
  if (checked.shared()) check_copies(checked);
}

void Checker::check_written(const Checked& checked) {
  Written written(checked.shared() ? checked.block.written.data() : written_->data());
  const uint32_t size = checked.bytes();
  const Mask mask = checked.made.mask;
  const auto& offsets = checked.offsets;
  const bool reads = reads_memory(checked.access()), writes = checked.access().op != MemoryOp::kLoad;
  const bool row = mask == kFullMask && checked.made.addresses.consecutive;
  if (row && (!reads || written.all(offsets[0], kWarpSize * size))) {
    if (writes) written.set(offsets[0], kWarpSize * size);
    return;
  }
  for (const uint32_t l : each_lane(mask)) {
    if (reads && !is_written(written, checked.access(), offsets[l])) report_unwritten(checked, l);
    if (writes) written.set(offsets[l], size);
  }
}

// An asynchronous copy may write until a thread waits for it. Until then not even the thread that started it may access
// its target.
void Checker::check_copies(const Checked& checked) {
  const uint32_t pc = checked.access().pc;
  for (const auto& other : checked.warp().block().warps()) {
    if (other->copies().idle()) continue;
    for (const uint32_t l : each_lane(checked.made.mask)) {
      const auto writer = other->copies().still_writes(kSharedBase + checked.offsets[l], checked.bytes());
      if (!writer) continue;
      const Cause cause = between("race", pc, writer->pc, array_of(checked, checked.offsets[l]));
      if (count_again(cause)) continue;
      const std::string name = name_of(checked, checked.offsets[l]);
      add(cause,
          {.at = site(checked, l),
           .other = accessing(other->site(writer->lane, writer->pc), "write"),
           .where = name,
           .message = "race: " + name + " is used while an asynchronous copy may still write it"},
          "Next: wait for the copy (cp.async.wait_group, __pipeline_wait_prior, or its barrier), and put "
          "__syncthreads() behind the wait where others use what it brought.");
    }
  }
}

void Checker::check_order(const Checked& checked) {
  BlockChecks& block = checked.block;
  const bool shared = checked.shared();
  const auto records = [&](size_t i) { return shared ? block.cells[i].data() : records_[i]->data(); };
  const uint64_t words = shared ? block.cells[0].size() : memory_.reserved() / 4;
  const Cells cells{records(0), records(1), records(2), words};
  const uint32_t warp = checked.warp().index();
  const SegmentId segment = order_.stamp(block.order, warp);  // stamp first: a release also publishes itself
  if (is_strong(checked.access())) tell_strong(checked);
  const SegmentId floor = shared ? block.order.floor : order_.first_segment();
  conflicts_.clear();
  const SegmentId kept = shared ? 0 : streams_->first_kept();
  note_access({order_, block.order, cells, warp, segment, floor, kept, checks_.plain_volatile}, checked.access(),
              checked.made.mask, checked.offsets.data(), conflicts_);
  for (const Conflict& conflict : conflicts_) report_race(checked, conflict);
}

bool Checker::is_strong(const MemoryAccess& access) const {
  const bool plain = access.order == MemoryOrder::kVolatile && checks_.plain_volatile;
  return access.order != MemoryOrder::kWeak && !plain;
}

// A strong access passes on the knowledge of its threads.
void Checker::tell_strong(const Checked& checked) {
  const uint64_t base = checked.shared() ? kSharedWindow : 0;
  const uint32_t warp = checked.warp().index();
  const auto& offsets = checked.offsets;
  for (Mask rest = checked.made.mask, group = 0; rest; rest &= ~group) {
    const uint64_t offset = offsets[first_lane(rest)];
    group = lanes_with(offsets.data(), offset, rest);
    order_.strong(checked.block.order, {warp, group}, base + offset, checked.access());
  }
}

void Checker::fence(const Warp& warp, Mask mask, Scope scope) {
  if (checks_.races) order_.fence(checks_of(warp.block()).order, {warp.index(), mask}, scope);
}

// ---- findings about memory ----

std::string Checker::name_of(const Checked& checked, uint64_t offset) const {
  const SourceNames& names = launch_->names;
  const Element element =
      checked.shared() ? names.shared_element(offset) : names.global_element(memory_.base() + offset);
  return element.name(checked.access().bytes);
}

uint64_t Checker::array_of(const Checked& checked, uint64_t offset) const {
  if (checked.shared()) return offset - static_cast<uint64_t>(launch_->names.shared_element(offset).offset);
  return memory_.find(memory_.base() + offset).begin - memory_.base();
}

Site Checker::site(const Checked& checked, uint32_t lane) const {
  return accessing(checked.warp().site(lane, checked.access().pc), verb(checked.access()));
}

RacePair Checker::pair_of(const Checked& checked, const Conflict& conflict, const MemoryAccess* earlier) const {
  const MemoryAccess& access = checked.access();
  const Record& then = conflict.earlier;
  const Segment& segment = order_.segment(then.segment);
  const bool strong = is_strong(access), writes = conflict.earlier_wrote && access.op == MemoryOp::kStore;
  const auto atomic = [](const MemoryAccess* a) { return a && a->order > MemoryOrder::kVolatile; };
  RacePair pair;
  pair.same_block = segment.block == checked.block.order.block;
  pair.same_warp = pair.same_block && segment.warp == checked.warp().index();
  pair.both_strong = strong && then.atomic;
  pair.one_atomic = atomic(&access) != atomic(earlier) && earlier;
  pair.same_write = writes && earlier == &access;
  const MemoryAccess* const writer = access.op == MemoryOp::kLoad ? earlier : &access;
  pair.updates = conflict.updates && writer && writer->op == MemoryOp::kStore;
  pair.only_fence = conflict.earlier_wrote && order_.lacks_fence(then.segment, then.lane, checked.block.order);
  pair.has_volatile = checks_.plain_volatile && (access.order == MemoryOrder::kVolatile || then.is_volatile);
  return pair;
}

void Checker::report_race(const Checked& checked, const Conflict& conflict) {
  const BlockOrder& order = checked.block.order;
  const uint32_t pc = checked.access().pc;
  if (conflict.earlier_wrote &&
      same_value(checked.made, conflict.lane, conflict.earlier, order.warps[checked.warp().index()].segment))
    return;
  const MemoryAccess* earlier =
      conflict.earlier.access == kUnknownAccess ? nullptr : &launch_->program.accesses[conflict.earlier.access];
  const uint32_t earlier_pc = earlier ? earlier->pc : pc;
  const Cause cause = between("race", pc, earlier_pc, array_of(checked, conflict.byte));
  const Segment& then = order_.segment(conflict.earlier.segment);
  const bool same_warp = then.block == order.block && then.warp == checked.warp().index();
  const auto known = causes_.find(cause);
  if (known != causes_.end() && (same_warp || findings_[known->second].tells & kAcrossWarps))
    return void(count_again(cause));
  const RacePair pair = pair_of(checked, conflict, earlier);
  if (of_library_ && conflict.earlier_wrote && checked.access().op == MemoryOp::kStore && same_warp && checked.shared())
    return;
  const std::string name = name_of(checked, conflict.byte);
  const Site other =
      launch_->names.site(index_in(launch_->shape.grid, then.block), then.warp, conflict.earlier.lane, earlier_pc);
  add(cause,
      {.at = site(checked, conflict.lane),
       .other = accessing(other, earlier                  ? verb(*earlier)
                                 : conflict.earlier_wrote ? "write"
                                                          : "read"),
       .where = name,
       .message = "race: two accesses to " + name + " that nothing orders",
       .tells = static_cast<uint8_t>((same_warp ? 0 : kAcrossWarps) + (pair.updates ? kLosesUpdates : 0))},
      advice(pair));
}

// Two kernels that write the same value do not race, as two threads of one kernel do not.
void Checker::report_clash(const Checked& checked, const Clash& clash) {
  if (clash.other_wrote && same_value(checked.made, clash.lane, {}, order_.next_segment())) return;
  const Cause cause{"host_race", checked.access().pc, clash.access, array_of(checked, clash.byte)};
  if (count_again(cause)) return;
  causes_.emplace(cause, findings_.size());
  findings_.push_back(
      streams_->finding(clash, site(checked, clash.lane), name_of(checked, clash.byte), checked.access()));
}

void Checker::report_unwritten(const Checked& checked, uint32_t lane) {
  const uint32_t pc = checked.access().pc;
  const Cause cause{"uninitialised_read", pc, pc, array_of(checked, checked.offsets[lane])};
  if (count_again(cause) || (checked.shared() && of_library_)) return;
  const std::string name = name_of(checked, checked.offsets[lane]);
  add(cause, {.at = site(checked, lane), .where = name, .message = "read of " + name + ", which nothing has written"},
      "On a card it holds whatever was there before.\n  Next: write it first: cudaMemset or cudaMemcpy for the "
      "device's memory, a loop of all threads and a barrier for shared memory; or look at the index.");
}

// ---- work in several streams ----

Cells Checker::global_cells() const {
  return {records_[0]->data(), records_[1]->data(), records_[2]->data(), memory_.reserved() / 4};
}

void Checker::begin_work(const Task& work) {
  if (streams_) streams_->begin_work(work);
}

void Checker::use(const Rows& rows, bool writes) {
  if (streams_) streams_->use(rows, writes, between_);
}

void Checker::touched(const HostTouch& touch) {
  if (streams_) streams_->touched(touch, between_);
}

void Checker::forget_work() {
  if (streams_) streams_->forget_all();
}

std::vector<HostUse> Checker::take_host_uses() { return std::exchange(last_uses_, {}); }
Findings Checker::take_findings() { return std::exchange(between_, {}); }

void Checker::end_work() {
  if (!streams_) return;
  last_uses_ = host_uses_->take(global_cells(), order_.first_segment(), launch_->program);
  if (PastWork* const present = streams_->present())
    for (const HostUse& use : last_uses_)
      if (const uint64_t base = memory_.find(use.begin).begin; !present->arrays.contains(base))
        present->arrays[base] = launch_->names.allocation(base);
  streams_->end_launch(order_.next_segment());
}

// ---- synchronisation ----

void Checker::sync_lanes(const Warp& warp, uint32_t pc, Mask together, const uint32_t* members, LaneSync) {
  for (const uint32_t l : each_lane(checks_.synchronisation ? together : 0)) {
    const Mask mask = members[l];
    const Mask others = mask & together;
    if (!(mask >> l & 1)) report_unnamed(warp, pc, l, mask);
    if (lanes_with(members, mask, others) != others) report_masks(warp, pc, l);
  }
  if (!checks_.races) return;
  for (Mask rest = together, group = 0; rest; rest &= ~group) {
    group = lanes_with(members, members[first_lane(rest)], rest);
    order_.join_lanes(checks_of(warp.block()).order, {warp.index(), group}, warp.live());
  }
}

void Checker::report_masks(const Warp& warp, uint32_t pc, uint32_t lane) {
  const Cause cause{"mask_mismatch", pc, pc};
  if (count_again(cause)) return;
  add(cause,
      {.at = warp.site(lane, pc),
       .message = launch_->program.names[pc] + " of lanes that name each other with different masks"},
      "What such lanes exchange is undefined.\n  Next: give all lanes that take part the same mask.");
}

void Checker::report_unnamed(const Warp& warp, uint32_t pc, uint32_t lane, Mask named) {
  const Cause cause{"mask_mismatch", pc, pc};
  if (count_again(cause)) return;
  add(cause,
      {.at = warp.site(lane, pc), .message = launch_->program.names[pc] + " of a lane that its own mask does not name"},
      "It is lane " + std::to_string(lane) + " of its warp, and its mask is " + hex(named) +
          ".\n  CUDA leaves the result undefined. An H200 lets the lane take part if lanes of the mask come with it,\n"
          "  and stops the kernel if none does.\n  Next: give a mask with the bit of every lane that calls.");
}

void Checker::meet_apart(const Warp& warp, const Arrival& one, const Arrival& other) {
  const Cause cause = between("mask_mismatch", one.pc, other.pc);
  if (!checks_.synchronisation || count_again(cause)) return;
  add(cause,
      {.at = warp.site(first_lane(one.lanes.mask), one.pc),
       .other = warp.site(first_lane(other.lanes.mask), other.pc),
       .message = "lanes that one mask names wait for each other at different calls"},
      "An H200 lets them go on, and each call works with the lanes that are there. CUDA does not promise it.\n"
      "  Next: let all lanes of the mask reach one call; or give each call a mask of the lanes that reach it.");
}

bool Checker::follows(const Warp& warp, const Frame& frame, uint32_t pc, Mask active) {
  return checks_.synchronisation && lane_values_.follows(warp, frame, pc, active);
}

bool Checker::ran(const Warp& warp, const RanInstruction& ran) {
  for (const UndefinedUse& use : lane_values_.step(warp, ran)) report_undefined(warp, use);
  return lane_values_.holds(ran.frame);
}

void Checker::report_undefined(const Warp& warp, const UndefinedUse& use) {
  const Cause cause{"mask_mismatch", use.shuffle_pc, use.shuffle_pc};
  if (count_again(cause)) return;
  const uint32_t thread = warp.index() * kWarpSize + use.source;
  const std::string source = "lane " + std::to_string(use.source);
  const char* const why = thread >= launch_->shape.threads_per_block() ? ", but the block has no such thread"
                          : warp.live() >> use.source & 1              ? ", which is elsewhere"
                                                                       : ", which has ended";
  const std::string whose =
      use.lane == use.reader ? "The value " : "The value, passed on to lane " + std::to_string(use.lane) + ", ";
  add(cause,
      {.at = warp.site(use.reader, use.shuffle_pc),
       .message = launch_->program.names[use.shuffle_pc] + " from a lane that takes no part"},
      "Lane " + std::to_string(use.reader) + " takes the value of " + source + why + ".\n  " + whose + use.what +
          " at " + launch_->names.location(use.pc) + ". CUDA leaves it undefined; an H200 gives 0.\n  Next: let " +
          source +
          " take part, with its bit in the mask; or take values only from lanes that do; or discard this value.");
}

void Checker::open_barrier(const Block& block, const OpenedBarrier& opened) {
  if (checks_.synchronisation && opened.kind == OpenedBarrier::kWholeBlock) check_arrivals(block, opened.arrivals);
  if (!checks_.races) return;
  BlockOrder& order = checks_of(block).order;
  uint32_t lanes = 0, live = 0;
  for (const Arrival& arrival : opened.arrivals) lanes += static_cast<uint32_t>(std::popcount(arrival.lanes.mask));
  for (const auto& warp : block.warps()) live += static_cast<uint32_t>(std::popcount(warp->live()));
  if (lanes == live) return order_.join_block(order);
  std::vector<Lanes> participants;
  for (const Arrival& arrival : opened.arrivals) participants.push_back(arrival.lanes);
  order_.join_some(order, opened.id, participants);
}

// Every thread must reach the same barrier: the same instruction, since two barriers can stand in one source line, and
// #line can put any two there. The compiler copies a barrier only where all threads of the block come to one copy.
void Checker::check_arrivals(const Block& block, const std::vector<Arrival>& arrivals) {
  const auto site = [&](const Arrival& a) { return block.warps()[a.lanes.warp]->site(first_lane(a.lanes.mask), a.pc); };
  const char* const next =
      "\n  Next: let every thread of the block reach the same __syncthreads(): move it out of the branch or loop, and "
      "let threads without work skip the work, not the barrier.";
  uint32_t came = 0;
  for (const Arrival& arrival : arrivals) {
    came += static_cast<uint32_t>(std::popcount(arrival.lanes.mask));
    if (arrival.pc == arrivals[0].pc) continue;
    const Cause cause = between("barrier_divergence", arrival.pc, arrivals[0].pc);
    if (count_again(cause)) continue;
    add(cause,
        {.at = site(arrival),
         .other = site(arrivals[0]),
         .message = "one barrier, but threads of the block reached it at different places"},
        std::string("What happens on a card is undefined.") + next);
  }
  const uint32_t threads = launch_->shape.threads_per_block(), missing = threads - came;
  const Cause cause{"barrier_divergence", arrivals[0].pc, arrivals[0].pc};
  if (missing == 0 || count_again(cause)) return;
  add(cause,
      {.at = site(arrivals[0]),
       .message = "a barrier that " + std::to_string(missing) + " of the block's " + std::to_string(threads) +
                  " threads never reach: they have ended"},
      std::string("Cards let the others pass, CUDA does not promise it.") + next);
}

void Checker::arrive_at_barrier(const Warp& warp, uint32_t barrier, Mask mask) {
  if (checks_.races) order_.arrive(checks_of(warp.block()).order, barrier, {warp.index(), mask});
}

}  // namespace lockstep
