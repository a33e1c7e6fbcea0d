#include "engine/collective.h"

#include <algorithm>

namespace lockstep {
namespace {

void set_all(std::byte* registers, uint32_t offset, uint32_t value, Mask active) {
  if (offset == 0) return;
  auto* d = lanes<uint32_t>(registers, offset);
  if (active == kFullMask)
    std::fill_n(d, kWarpSize, value);
  else
    for (const uint32_t l : each_lane(active)) d[l] = value;
}

struct LaneNumbers {
  std::array<int32_t, kWarpSize> l{};
  std::array<Mask, kWarpSize> bit{};
  constexpr LaneNumbers() {
    for (int i = 0; i < kWarpSize; ++i) l[i] = i, bit[i] = Mask{1} << i;
  }
};
constexpr LaneNumbers kLanes;

// The lane that each lane reads, and which of these lie within the segment that c describes (PTX ISA, shfl.sync). A
// lane outside its segment reads itself. One loop without branches for each operation: vector code.
template <CollectiveOp op>
Mask find_sources(const uint32_t* b, const uint32_t* c, std::array<int32_t, kWarpSize>& from) {
  Mask all_inside = 0;
  for (int i = 0; i < kWarpSize; ++i) {
    const int32_t l = kLanes.l[i], offset = static_cast<int32_t>(b[i] & 31), clamp = static_cast<int32_t>(c[i] & 31),
                  segment = static_cast<int32_t>(c[i] >> 8 & 31);
    const int32_t lowest = l & segment, highest = lowest | (clamp & ~segment);
    const int32_t source = op == CollectiveOp::kShflUp     ? l - offset
                           : op == CollectiveOp::kShflDown ? l + offset
                           : op == CollectiveOp::kShflBfly ? l ^ offset
                                                           : lowest | (offset & ~segment);
    const bool inside = op == CollectiveOp::kShflUp ? source >= highest : source <= highest;
    from[i] = inside ? source : l;
    all_inside |= inside ? kLanes.bit[i] : 0;
  }
  return all_inside;
}

Mask find_sources(const Collective& shuffle, const std::byte* registers, std::array<int32_t, kWarpSize>& from) {
  const auto* b = reinterpret_cast<const uint32_t*>(registers + shuffle.b);
  const auto* c = reinterpret_cast<const uint32_t*>(registers + shuffle.c);
  switch (shuffle.op) {
    case CollectiveOp::kShflUp: return find_sources<CollectiveOp::kShflUp>(b, c, from);
    case CollectiveOp::kShflDown: return find_sources<CollectiveOp::kShflDown>(b, c, from);
    case CollectiveOp::kShflBfly: return find_sources<CollectiveOp::kShflBfly>(b, c, from);
    default: return find_sources<CollectiveOp::kShflIdx>(b, c, from);
  }
}

// PTX leaves the value of a lane that does not take part undefined. An H200 gives 0, and so does this.
void shuffle(const Collective& s, std::byte* registers, Mask active) {
  std::array<int32_t, kWarpSize> from;
  const Mask inside = find_sources(s, registers, from);
  if (s.d) {
    const auto* a = lanes<uint32_t>(registers, s.a);
    std::array<uint32_t, kWarpSize> result;
    for (int l = 0; l < kWarpSize; ++l) result[l] = a[from[l]];
    auto* d = lanes<uint32_t>(registers, s.d);
    if (active == kFullMask)
      std::copy(result.begin(), result.end(), d);
    else
      for (int l = 0; l < kWarpSize; ++l) d[l] = !(active >> l & 1) ? d[l] : active >> from[l] & 1 ? result[l] : 0;
  }
  set_predicate(registers, s.p, inside, active);
}

void vote(const Collective& v, std::byte* registers, Mask active) {
  const Mask yes = *lanes<Mask>(registers, v.a) & active;
  switch (v.op) {
    case CollectiveOp::kVoteAll: return set_predicate(registers, v.d, yes == active ? kFullMask : 0, active);
    case CollectiveOp::kVoteAny: return set_predicate(registers, v.d, yes ? kFullMask : 0, active);
    case CollectiveOp::kVoteUni: return set_predicate(registers, v.d, yes == active || !yes ? kFullMask : 0, active);
    default: return set_all(registers, v.d, yes, active);
  }
}

template <class T>
void match(const Collective& m, std::byte* registers, Mask active) {
  std::array<T, kWarpSize> a;
  std::copy_n(lanes<T>(registers, m.a), kWarpSize, a.begin());
  const auto same_as = [&](uint32_t lane) { return lanes_with(a.data(), a[lane], active); };
  if (m.op == CollectiveOp::kMatchAll) {
    const bool all = same_as(first_lane(active)) == active;
    set_all(registers, m.d, all ? active : 0, active);
    set_predicate(registers, m.p, all ? kFullMask : 0, active);
  } else if (m.d) {
    for (const uint32_t l : each_lane(active)) lanes<uint32_t>(registers, m.d)[l] = same_as(l);
  }
}

template <class T>
T reduce(const T* a, CollectiveOp op, Mask active) {
  T result = a[first_lane(active)];
  for (const uint32_t l : each_lane(active & (active - 1))) {
    const T value = a[l];
    switch (op) {
      case CollectiveOp::kReduxAdd:
        result = static_cast<T>(static_cast<uint32_t>(result) + static_cast<uint32_t>(value));
        break;
      case CollectiveOp::kReduxMin: result = std::min(result, value); break;
      case CollectiveOp::kReduxMax: result = std::max(result, value); break;
      case CollectiveOp::kReduxAnd: result &= value; break;
      case CollectiveOp::kReduxOr: result |= value; break;
      default: result ^= value; break;
    }
  }
  return result;
}

}  // namespace

std::array<int32_t, kWarpSize> shuffle_sources(const Collective& shuffle, const std::byte* registers) {
  std::array<int32_t, kWarpSize> from;
  find_sources(shuffle, registers, from);
  return from;
}

void run_collective(const Collective& c, std::byte* registers, Mask active) {
  if (c.op <= CollectiveOp::kShflIdx) return shuffle(c, registers, active);
  if (c.op <= CollectiveOp::kVoteBallot) return vote(c, registers, active);
  if (c.op <= CollectiveOp::kMatchAll)
    return c.wide ? match<uint64_t>(c, registers, active) : match<uint32_t>(c, registers, active);
  if (c.op == CollectiveOp::kElect) {
    const uint32_t leader = first_lane(active);
    set_all(registers, c.d, leader, active);
    return set_predicate(registers, c.p, 1u << leader, active);
  }
  const uint32_t result = c.is_signed ? static_cast<uint32_t>(reduce(lanes<int32_t>(registers, c.a), c.op, active))
                                      : reduce(lanes<uint32_t>(registers, c.a), c.op, active);
  set_all(registers, c.d, result, active);
}

}  // namespace lockstep
