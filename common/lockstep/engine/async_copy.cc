#include "engine/async_copy.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "base/words.h"
#include "engine/access.h"
#include "engine/fault.h"
#include "engine/mbarrier.h"
#include "engine/traffic_access.h"

namespace lockstep {
namespace {

using Copy = PendingCopies::Copy;
using Bulk = PendingCopies::Bulk;

constexpr uint32_t kBulkUnit = 16;  // bytes: bulk copies move multiples of it

std::byte* in_shared(Warp& warp, uint64_t address) { return warp.block().shared() + (address - kSharedBase); }

// Whether the lane may access `bytes` at the address. If not, the launch has failed at the copy's own line.
bool may_copy(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes) {
  if (address % access.bytes) return fail_misaligned(warp, access, lane, address), false;
  Range& last = warp.state().last_range[access.index];
  if (last.contains(address, bytes)) return true;
  const Range range = last = range_at(warp, access.space, address);
  if (access.space == Space::kGlobal) warp.state().reaches(access, range);
  if (range.contains(address, bytes)) return true;
  // The message names the first piece that lies outside, not the whole copy.
  MemoryAccess piece = access;
  piece.bytes = static_cast<uint8_t>(std::min<uint32_t>(access.bytes, bytes));
  uint64_t outside = address;
  while (range.contains(outside, piece.bytes)) outside += piece.bytes;
  fail_outside(warp, piece, access.space, lane, outside);
  return false;
}

// ---- cp.async ----

void start_copy(Warp& warp, const AsyncUse& use, Mask mask) {
  Copy copy{&use, mask, warp.copies().open_group, {}, {}, {}};
  read_addresses(warp, use.from, mask, copy.from.data());
  read_addresses(warp, use.to, mask, copy.to.data());
  std::byte* file = warp.registers();
  const Mask zeros = use.ignore_source ? *lanes<Mask>(file, use.ignore_source) : 0;
  for (const uint32_t l : each_lane(mask)) {
    uint32_t bytes = use.from.bytes;
    if (use.size) bytes = std::min(bytes, lanes<uint32_t>(file, use.size)[l]);
    if (zeros >> l & 1) bytes = 0;
    if (bytes < use.from.bytes) warp.state().counters.partial_copies.insert(use.from.pc);
    copy.bytes_from_source[l] = static_cast<uint8_t>(bytes);
    // A copy that reads nothing may have any source address.
    const bool good = (bytes == 0 || may_copy(warp, use.from, l, copy.from[l], bytes)) &&
                      may_copy(warp, use.to, l, copy.to[l], use.to.bytes);
    if (warp.state().faulted) return;
    if (!good) copy.pending &= ~(1u << l);
  }
  if (mask) {
    InstructionCounters::Global& count = warp.state().counters.at[use.from.pc].global;
    ++count.requests;
    count.sectors += global_sectors(copy.from.data(), mask, use.from.bytes);
    count.threads += static_cast<uint64_t>(std::popcount(mask));
  }
  warp.copies().copies.push_back(copy);
}

void start_arrival(Warp& warp, const AsyncUse& use, Mask mask) {
  Copy arrival{&use, mask, {}, {}, {}, {}};
  if (!find_mbarriers(warp, use.mbarrier, mask, arrival.to.data())) return;
  const auto await = [](Mbarrier& barrier) { return barrier.await_one_more(); };
  for (const uint32_t l : each_lane(use.counted_already ? 0 : mask))
    if (!update_mbarrier(warp, use.mbarrier, l, arrival.to[l], await)) return;
  warp.copies().copies.push_back(arrival);
}

// Copies the data of these lanes, or makes their arrivals.
void complete(Warp& warp, Copy& copy, Mask lanes) {
  const AsyncUse& use = *copy.use;
  copy.pending &= ~lanes;
  if (use.op == AsyncOp::kArrive) {
    for (; lanes && !warp.state().faulted; lanes &= lanes - 1) {
      warp.hand_over_at(copy.to[first_lane(lanes)]);
      arrive_at(warp, use.mbarrier, first_lane(lanes), copy.to[first_lane(lanes)]);
    }
    return;
  }
  show_asynchronous(warp, use.to, lanes, copy.to.data());
  for (const uint32_t l : each_lane(lanes)) {
    const uint32_t bytes = copy.bytes_from_source[l];
    if (bytes) {
      // The kernel may have freed the source since the copy started.
      if (!may_copy(warp, use.from, l, copy.from[l], bytes)) continue;
      MemoryAccess read = use.from;
      read.bytes = static_cast<uint8_t>(bytes);
      show_asynchronous_lane(warp, read, l, copy.from[l]);
      count_copy(warp, MemoryOp::kLoad, copy.from[l], bytes);
      warp.state().counters.async_requested += bytes;
    }
    std::byte* to = in_shared(warp, copy.to[l]);
    warp.launch().memory.read(to, copy.from[l], bytes);
    std::memset(to + bytes, 0, use.to.bytes - bytes);
  }
}

// The threads of other warps must still wait at a barrier.
void note_copy(Warp& warp, const Copy& copy, Mask mask) {
  if (!mask || !warp.launch().may_race(copy.use->to, Space::kShared)) return;
  LaneAddresses addresses{copy.to, false, reinterpret_cast<uint64_t>(warp.block().shared())};
  for (uint64_t& address : addresses.at) address += addresses.shared_begin - kSharedBase;
  warp.block().note_race(warp, copy.use->to, mask, addresses);
}

// A lane's copies happen in the order of their groups. Arrivals happen when a thread waits for their mbarrier.
void wait_for_copies(Warp& warp, const AsyncUse& use, Mask mask) {
  PendingCopies& pending = warp.copies();
  const uint32_t* allowed = use.groups ? lanes<uint32_t>(warp.registers(), use.groups) : nullptr;
  for (Copy& copy : pending.copies) {
    if (copy.use->op == AsyncOp::kArrive) continue;
    Mask due = use.ungrouped_too ? copy.pending & mask : 0;
    for (const uint32_t l : each_lane(copy.pending & mask & ~due)) {
      const uint32_t behind = pending.open_group[l] - copy.group[l];  // 0: in no group yet
      due |= static_cast<Mask>(behind > (allowed ? allowed[l] : 0)) << l;
    }
    note_copy(warp, copy, due);
    complete(warp, copy, due);
  }
  pending.forget_complete();
}

// ---- bulk copies ----

void start_bulk(Warp& warp, const AsyncUse& use, Mask mask) {
  PendingCopies& pending = warp.copies();
  std::array<uint64_t, kWarpSize> from, to, mbarrier{};
  read_addresses(warp, use.from, mask, from.data());
  read_addresses(warp, use.to, mask, to.data());
  if (use.has_mbarrier && !find_mbarriers(warp, use.mbarrier, mask, mbarrier.data())) return;
  for (const uint32_t l : each_lane(mask)) {
    const uint32_t bytes = lanes<uint32_t>(warp.registers(), use.size)[l];
    if (bytes % kBulkUnit != 0)
      return fail(warp, {Status::kMisalignedAddress, "misaligned", l, use.from.pc,
                         words("a bulk copy of {size}", {{"size", byte_count(bytes)}}),
                         words("Its size must be a multiple of 16 bytes.") +
                             "\nNext: " + words("copy the rest with ordinary loads.")});
    const bool good = may_copy(warp, use.from, l, from[l], bytes) && may_copy(warp, use.to, l, to[l], bytes);
    if (warp.state().faulted) return;
    pending.bulks.push_back({&use, l, pending.open_bulk_group[l], bytes, from[l], to[l], mbarrier[l], good, {}});
  }
}

// Shows each piece of a lane's range as one access.
void show_range(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes) {
  if (!warp.launch().watched() && !warp.launch().may_be_left(access, Space::kShared)) return;
  for (uint32_t i = 0; i < bytes; i += kBulkUnit) show_asynchronous_lane(warp, access, lane, address + i);
}

const std::byte* read_source(Warp& warp, Bulk& bulk) {
  const MemoryAccess& access = bulk.use->from;
  show_range(warp, access, bulk.lane, bulk.from, bulk.bytes);
  if (access.space == Space::kShared) return in_shared(warp, bulk.from);
  if (!warp.state().sees_other_words) return reinterpret_cast<const std::byte*>(bulk.from);
  bulk.data.resize(bulk.bytes);
  warp.launch().memory.read(bulk.data.data(), bulk.from, bulk.bytes);
  return bulk.data.data();
}

void complete(Warp& warp, Bulk& bulk) {
  const AsyncUse& use = *bulk.use;
  // The kernel may have freed memory since the copy started.
  const bool good = bulk.good && may_copy(warp, use.from, bulk.lane, bulk.from, bulk.bytes) &&
                    may_copy(warp, use.to, bulk.lane, bulk.to, bulk.bytes);
  bulk.good = false;
  if (good) {
    const std::byte* from = bulk.data.empty() ? read_source(warp, bulk) : bulk.data.data();
    show_range(warp, use.to, bulk.lane, bulk.to, bulk.bytes);
    if (use.from.space != Space::kShared) count_copy(warp, MemoryOp::kLoad, bulk.from, bulk.bytes);
    if (use.to.space != Space::kShared) count_copy(warp, MemoryOp::kStore, bulk.to, bulk.bytes);
    std::byte* to = use.to.space == Space::kShared ? in_shared(warp, bulk.to) : reinterpret_cast<std::byte*>(bulk.to);
    if (use.reduce) {
      use.reduce(from, to, bulk.bytes);
      warp.state().counters.at[use.from.pc].bytes_reduced += bulk.bytes;
    } else {
      std::memmove(to, from, bulk.bytes);
    }
  }
  if (use.has_mbarrier) bytes_came(warp, use.mbarrier, bulk.lane, bulk.mbarrier, bulk.bytes);
}

void wait_for_bulks(Warp& warp, const AsyncUse& use, Mask mask) {
  PendingCopies& pending = warp.copies();
  const uint32_t* allowed = lanes<uint32_t>(warp.registers(), use.groups);
  const auto due = [&](const Bulk& bulk) {
    const uint32_t l = bulk.lane, behind = pending.open_bulk_group[l] - bulk.group;  // 0: in no group yet
    return !bulk.use->has_mbarrier && (mask >> l & 1) && behind > allowed[l];
  };
  for (Bulk& bulk : pending.bulks) {
    if (!due(bulk)) continue;
    if (!use.sources_only) {
      complete(warp, bulk);
    } else if (bulk.data.empty() && bulk.good) {
      const std::byte* from = read_source(warp, bulk);
      bulk.data.assign(from, from + bulk.bytes);
    }
  }
  if (!use.sources_only) std::erase_if(pending.bulks, due);
}

// ---- when others wait, and at the end ----

// Makes the next copy or arrival of this warp happen that the mbarrier waits for. False: there is none.
bool advance(Warp& warp, uint64_t mbarrier) {
  PendingCopies& pending = warp.copies();
  for (auto bulk = pending.bulks.begin(); bulk != pending.bulks.end(); ++bulk) {
    if (!bulk->use->has_mbarrier || bulk->mbarrier != mbarrier) continue;
    complete(warp, *bulk);
    pending.bulks.erase(bulk);
    return !warp.state().faulted;
  }
  for (size_t i = 0; i < pending.copies.size(); ++i) {
    if (pending.copies[i].use->op != AsyncOp::kArrive) continue;
    const Mask waiting = lanes_with(pending.copies[i].to.data(), mbarrier, pending.copies[i].pending);
    if (!waiting) continue;
    const Mask due = waiting & ~(waiting - 1);  // one lane; then the waiting thread looks again
    for (size_t earlier = 0; earlier < i; ++earlier)
      if (pending.copies[earlier].use->op != AsyncOp::kArrive)
        complete(warp, pending.copies[earlier], pending.copies[earlier].pending & due);
    complete(warp, pending.copies[i], due);
    pending.forget_complete();
    return !warp.state().faulted;
  }
  return false;
}

}  // namespace

void run_async(Warp& warp, const AsyncUse& use, Mask mask) {
  switch (use.op) {
    case AsyncOp::kCopy: return start_copy(warp, use, mask);
    case AsyncOp::kArrive: return start_arrival(warp, use, mask);
    case AsyncOp::kBulk: return start_bulk(warp, use, mask);
    case AsyncOp::kWait: ++warp.chain().misses; return wait_for_copies(warp, use, mask);
    case AsyncOp::kBulkWait: ++warp.chain().misses; return wait_for_bulks(warp, use, mask);
    case AsyncOp::kCommit:
    case AsyncOp::kBulkCommit:
      auto& open = use.op == AsyncOp::kCommit ? warp.copies().open_group : warp.copies().open_bulk_group;
      for (const uint32_t l : each_lane(mask)) ++open[l];
      return;
  }
}

void finish_copies(Warp& warp, Mask lanes) {
  PendingCopies& pending = warp.copies();
  for (Copy& copy : pending.copies) complete(warp, copy, copy.pending & lanes);
  pending.forget_complete();
  for (Bulk& bulk : pending.bulks)
    if (lanes >> bulk.lane & 1) complete(warp, bulk);
  std::erase_if(pending.bulks, [&](const Bulk& bulk) { return lanes >> bulk.lane & 1; });
}

bool advance_copies(Block& block, uint64_t mbarrier) {
  const bool any = std::ranges::any_of(
      block.warps(), [&](const auto& warp) { return !warp->copies().idle() && advance(*warp, mbarrier); });
  block.state().changes += any;
  return any;
}

}  // namespace lockstep
