// Accesses to memory: which break a rule, and the findings about them.
#include <algorithm>
#include <bit>
#include <cstring>
#include <string>

#include "base/words.h"
#include "check/checker.h"
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

// Lanes with one address are a group. Groups are in the order of their first lanes.
struct SameAddress {
  std::array<Mask, kWarpSize> groups;
  uint32_t count = 0;
};
SameAddress by_address(const uint64_t* addresses, Mask mask) {
  SameAddress same;
  std::array<uint8_t, 2 * kWarpSize> numbers{};  // a hash table: 0, or the number of a group, from 1
  for (const uint32_t l : each_lane(mask)) {
    size_t slot = addresses[l] * 0x9e3779b97f4a7c15u >> 58;
    const auto is_other = [&](uint32_t number) {
      return addresses[first_lane(same.groups[number - 1])] != addresses[l];
    };
    while (numbers[slot] && is_other(numbers[slot])) slot = (slot + 1) % numbers.size();
    if (!numbers[slot]) same.groups[same.count] = 0, numbers[slot] = static_cast<uint8_t>(++same.count);
    same.groups[numbers[slot] - 1] |= 1u << l;
  }
  return same;
}

// The lanes of a group with one address whose compare-and-swap will fail: another value is there, or a lane before them
// has written one.
Mask failed_swaps(const ObservedAccess& made, Mask group) {
  const MemoryAccess& access = made.access;
  const std::byte* registers = made.warp.registers();
  const auto* value = reinterpret_cast<const std::byte*>(made.addresses.at[first_lane(group)]);
  Mask failed = 0;
  for (const uint32_t l : each_lane(group)) {
    const size_t at = l * access.bytes;
    if (std::memcmp(value, registers + access.registers[1] + at, access.bytes) == 0)
      value = registers + access.operand2 + at;
    else
      failed |= 1u << l;
  }
  return failed;
}

Site accessing(Site site, const char* access) {
  site.access = access;
  return site;
}

}  // namespace

void Checker::access(const ObservedAccess& made) {
  if (made.space == Space::kLocal) return;
  Checked checked{made, checks_of(made.warp.block()), {}};
  const uint64_t begin = checked.shared() ? made.addresses.shared_begin : memory_.base();
  for (int l = 0; l < kWarpSize; ++l) checked.offsets[l] = made.addresses.at[l] - begin;
  if (checks_.initialised) check_written(checked);
  if (!checks_.races) return;
  if (!checked.shared()) {  // before check_order() replaces the records of earlier launches
    host_uses_->note(made.mask, checked.offsets.data());
    if (notes_touched_) touched_.note(made.mask, checked.offsets.data());
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
    if (reads && written.all(offsets[l], size)) continue;
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
           .message =
               words("race: {element} is used while an asynchronous copy may still write it", {{"element", name}})},
          "Next: " +
              words("wait for the copy (__pipeline_wait_prior(0), or its barrier) before the access, and let other "
                    "threads wait at __syncthreads() behind it."));
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
  const MemoryAccess& access = checked.access();
  const SameAddress same = by_address(checked.offsets.data(), checked.made.mask);
  if (same.count == static_cast<uint32_t>(std::popcount(checked.made.mask)) && same.count > 1) {
    std::array<uint64_t, kWarpSize> addresses;
    for (uint32_t l = 0; l < kWarpSize; ++l) addresses[l] = base + checked.offsets[l];
    Mask failed = 0;
    if (access.atomic == AtomicOp::kCas)
      for (uint32_t i = 0; i < same.count; ++i) failed |= failed_swaps(checked.made, same.groups[i]);
    return order_.strong_apart(checked.block.order, {warp, checked.made.mask}, addresses.data(), access, failed);
  }
  for (uint32_t i = 0; i < same.count; ++i) {
    const Mask group = same.groups[i];
    const Mask failed = access.atomic == AtomicOp::kCas ? failed_swaps(checked.made, group) : 0;
    order_.strong(checked.block.order, {warp, group}, base + checked.offsets[first_lane(group)], access, failed);
  }
}

void Checker::fence(const Warp& warp, Mask mask, Scope scope) {
  if (checks_.races) order_.fence(checks_of(warp.block()).order, {warp.index(), mask}, scope);
}

// ---- findings about memory ----

std::string Checker::name_of(const Checked& checked, uint64_t offset) const {
  const SourceNames& names = launch_->names;
  const uint32_t bytes = checked.access().bytes;
  return checked.shared() ? names.shared_name(offset, bytes) : names.global_name(memory_.base() + offset, bytes);
}

uint64_t Checker::array_of(const Checked& checked, uint64_t offset) const {
  if (checked.shared()) return offset - static_cast<uint64_t>(launch_->names.shared_element(offset).offset);
  return memory_.find(memory_.base() + offset).begin - memory_.base();
}

Site Checker::site(const Checked& checked, uint32_t lane) const {
  return accessing(checked.warp().site(lane, checked.access().pc), verb(checked.access()));
}

RacePair Checker::pair_of(const Checked& checked, const Conflict& conflict, const MemoryAccess* earlier) {
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
  RacePair pair = pair_of(checked, conflict, earlier);
  if (of_library_ && conflict.earlier_wrote && checked.access().op == MemoryOp::kStore && same_warp && checked.shared())
    return;
  pair.element = name_of(checked, conflict.byte);
  see_code(pair, launch_->names, checked.access(), earlier);
  const Site other =
      launch_->names.site(index_in(launch_->shape.grid, then.block), then.warp, conflict.earlier.lane, earlier_pc);
  add(cause,
      {.at = site(checked, conflict.lane),
       .other = accessing(other, earlier                  ? verb(*earlier)
                                 : conflict.earlier_wrote ? "write"
                                                          : "read"),
       .where = pair.element,
       .message = headline(pair),
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
  add(cause,
      {.at = site(checked, lane),
       .where = name,
       .message = words("read of {element}, which nothing has written", {{"element", name}})},
      words("On a card it holds whatever was there before.") + "\n  Next: " +
          (checked.shared() ? words("let the block's threads write it first, and put __syncthreads() before this line.")
                            : words("write it first, with cudaMemset, cudaMemcpy or a kernel, or check the index.")));
}

}  // namespace lockstep
