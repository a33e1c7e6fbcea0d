#include "engine/meeting_accesses.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <map>
#include <numeric>
#include <optional>
#include <span>
#include <utility>

#include "engine/memory.h"
#include "program/program.h"

namespace lockstep {
namespace {

// The numbers of a thread in its block, then those of the block.
constexpr size_t kNumbers = 6, kThreadNumbers = 3;

// What the threads of a launch access. The place of a thread is the sum of `base`, of each number times its stride, and
// of each step any number of times.
struct Places {
  const MemoryAccess* access = nullptr;
  uint64_t width = 0;               // bytes
  bool known = true;                // else an address contains something else
  std::optional<uint64_t> array{};  // the start of the allocation; none: not known either
  uint64_t pointer = 0;             // the address of the parameter that points there; 0: a literal does
  int64_t base = 0;
  std::array<int64_t, kNumbers> strides{};
  std::vector<int64_t> steps{};
};

std::optional<size_t> number_of(const Factor& factor) {
  if (factor.kind != Factor::kSpecial) return std::nullopt;
  const auto special = static_cast<Special>(factor.at);
  if (special <= Special::kTidZ) return factor.at;
  if (special < Special::kCtaidX || special > Special::kCtaidZ) return std::nullopt;
  return kThreadNumbers + factor.at - static_cast<size_t>(Special::kCtaidX);
}

// A launch: the values of factors, and the places of accesses.
class Values {
 public:
  Values(const Memory& memory, const Dim3& block, const Dim3& grid)
      : memory_(memory), extents_{block.x, block.y, block.z, grid.x, grid.y, grid.z} {}

  Places places(const MemoryAccess& access, const AccessPlace& place) const {
    Places found{.access = &access, .width = uint64_t{access.bytes} * access.count};
    if (access.space == Space::kShared)
      found.array = 0;
    else
      find_array(place.address, found);
    for (const auto& [factors, times] : place.address) found.known &= add(factors, times, found);
    for (const Sum& step : place.steps) {
      Places sum;
      for (const auto& [factors, times] : step) found.known &= add(factors, times, sum);
      found.known &= sum.strides == Places{}.strides;
      found.steps.push_back(sum.base);
    }
    return found;
  }
  const std::array<uint32_t, kNumbers>& extents() const { return extents_; }

 private:
  // The allocation to which a parameter points, or in which a literal address lies.
  void find_array(const Sum& address, Places& found) const {
    for (const auto& [factors, times] : address) {
      const bool is_pointer = factors.size() == 1 && factors[0].bytes == 8 && times == 1;
      const auto value = factors.empty() ? std::optional(times) : is_pointer ? value_of(factors[0]) : std::nullopt;
      if (!value) continue;
      const Range range = memory_.find(static_cast<uint64_t>(*value));
      if (!range.begin) continue;
      found.array = range.begin;
      found.pointer = is_pointer ? factors[0].at : 0;
      return;
    }
  }

  // Adds a product to the places. False: it is not known.
  bool add(const Factors& factors, int64_t times, Places& to) const {
    std::optional<size_t> number;
    int64_t value = times;
    for (const Factor& factor : factors) {
      const std::optional<size_t> this_number = number_of(factor);
      if (number && this_number) return false;
      const std::optional<int64_t> known = this_number ? 1 : value_of(factor);
      if (!known || __builtin_mul_overflow(value, *known, &value)) return false;
      if (this_number) number = this_number;
    }
    int64_t& sum = number ? to.strides[*number] : to.base;
    return !__builtin_add_overflow(sum, value, &sum);
  }

  std::optional<int64_t> value_of(const Factor& factor) const {
    if (factor.kind == Factor::kSpecial)
      return extents_[factor.at < static_cast<uint64_t>(Special::kNctaidX)
                          ? factor.at - static_cast<uint64_t>(Special::kNtidX)
                          : kThreadNumbers + factor.at - static_cast<uint64_t>(Special::kNctaidX)];
    if (factor.kind == Factor::kUnknown || !memory_.find(factor.at).contains(factor.at, factor.bytes))
      return std::nullopt;
    const auto read = [&](auto value) {
      std::memcpy(&value, reinterpret_cast<const void*>(factor.at), sizeof value);
      return static_cast<int64_t>(value);
    };
    if (factor.bytes == 8) return read(int64_t{});
    return factor.is_signed ? read(int32_t{}) : read(uint32_t{});
  }

  const Memory& memory_;
  const std::array<uint32_t, kNumbers> extents_;
};

uint64_t magnitude_of(int64_t x) { return x < 0 ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x); }

struct Dimension {
  uint64_t stride = 0, count = 0;
};
constexpr uint64_t kAny = std::numeric_limits<uint64_t>::max();  // of a loop

// Whether two threads may meet in one array. They do not if the places are those of an array whose dimensions are the
// numbers, the bases and the steps: each stride is at least the extent of the smaller dimensions together.
bool may_meet(const std::vector<Places>& all, std::span<const uint32_t> extents) {
  std::vector<Dimension> dimensions;
  for (size_t i = 0; i < extents.size(); ++i)
    if (extents[i] > 1) dimensions.push_back({magnitude_of(all[0].strides[i]), extents[i]});
  uint64_t width = 0, apart = 0, furthest = 0, step = 0;
  int64_t lowest = all[0].base;
  for (const Places& places : all) lowest = std::min(lowest, places.base);
  for (const Places& places : all) {
    if (!places.known || places.strides != all[0].strides) return true;
    width = std::max(width, places.width);
    const uint64_t distance = static_cast<uint64_t>(places.base) - static_cast<uint64_t>(lowest);
    apart = std::gcd(apart, distance);
    furthest = std::max(furthest, distance);
    for (const int64_t one : places.steps) {
      const uint64_t size = magnitude_of(one);
      if (size && step && size != step) return true;
      step = std::max(step, size);
    }
  }
  if (step) dimensions.push_back({step, kAny});
  std::ranges::sort(dimensions, {}, &Dimension::stride);
  const auto bases = std::ranges::find_if(dimensions, [&](const Dimension& d) { return d.stride >= apart; });
  // A thread may meet itself.
  if (bases == dimensions.begin())
    width += furthest;
  else if (apart)
    dimensions.insert(bases, {apart, furthest / apart + 1});
  unsigned __int128 extent = width;
  for (const auto& [stride, count] : dimensions) {
    if (stride < extent) return true;
    extent += static_cast<unsigned __int128>(count - 1) * stride;
  }
  return false;
}

// Whether it matters which of these stores and atomics comes last.
bool order_matters(const std::vector<Places>& all) {
  return std::ranges::any_of(all, [&](const Places& one) {
    return one.access->op == MemoryOp::kStore || one.access->atomic != all[0].access->atomic;
  });
}

// Whether one of them loads by another pointer than one of them writes.
bool have_other_pointers(const std::vector<Places>& all) {
  return std::ranges::any_of(all, [&](const Places& load) {
    return load.access->op == MemoryOp::kLoad && std::ranges::any_of(all, [&](const Places& other) {
             return other.access->op != MemoryOp::kLoad && other.pointer != load.pointer;
           });
  });
}

// MeetingAccesses::units. arrays: a number for each access. Two accesses with different numbers never reach one place.
std::vector<uint8_t> units_of(const Program& program, const std::vector<uint64_t>& arrays) {
  std::map<uint64_t, uint8_t> smallest;  // by array
  for (const MemoryAccess& access : program.accesses) {
    if (access.space != Space::kGlobal && access.space != Space::kShared && access.space != Space::kGeneric) continue;
    uint8_t& unit = smallest.try_emplace(arrays[access.index], 4).first->second;
    unit = std::min(unit, access.bytes);
  }
  std::vector<uint8_t> units(program.accesses.size(), 4);
  for (size_t i = 0; i < units.size(); ++i)
    if (const auto found = smallest.find(arrays[i]); found != smallest.end()) units[i] = found->second;
  return units;
}

}  // namespace

MeetingAccesses meeting_accesses(const Program& program, const Memory& memory, const Dim3& block, const Dim3& grid,
                                 const Steering& asked) {
  const Values values(memory, block, grid);
  std::vector<uint8_t> meeting(program.accesses.size());
  std::vector<uint64_t> arrays(program.accesses.size());      // 0: shared memory, or not known
  std::map<uint64_t, std::vector<Places>> written, accesses;  // of global memory, by array
  std::vector<Places> shared;
  std::vector<Places> unknown;  // that may be of any array
  for (const AccessPlace& place : program.access_places) {
    const MemoryAccess& access = program.accesses[place.access];
    const bool writes = access.op != MemoryOp::kLoad;
    Places places = values.places(access, place);
    if (access.space == Space::kShared) {
      shared.push_back(std::move(places));
    } else if (places.array) {
      arrays[place.access] = *places.array;
      if (writes) written[*places.array].push_back(places);
      accesses[*places.array].push_back(std::move(places));
    } else if (writes) {
      unknown.push_back(std::move(places));
    }
  }
  const auto meet = [&](const std::vector<Places>& all, size_t numbers) {
    return may_meet(all, {values.extents().data(), numbers});
  };
  const auto note = [&](const std::vector<Places>& all, uint8_t what) {
    for (const Places& places : all) meeting[places.access->index] |= what;
  };
  // A write to an unknown array may meet every other write. The order matters, unless all of them make one atomic.
  uint8_t anywhere = 0;  // spaces
  std::vector<Places> all_written = unknown;
  for (const auto& [array, all] : written) all_written.insert(all_written.end(), all.begin(), all.end());
  all_written.insert(all_written.end(), shared.begin(), shared.end());
  if (!unknown.empty() && order_matters(all_written))
    for (const Places& places : unknown) {
      const bool generic = places.access->space == Space::kGeneric;
      meeting[places.access->index] = generic ? kMeetInGlobal | kMeetInShared : kMeetInGlobal;
      anywhere |= meeting[places.access->index];
    }
  for (const auto& [array, all] : written)
    if ((anywhere & kMeetInGlobal) || (order_matters(all) && meet(all, kNumbers))) note(all, kMeetInGlobal);
  for (const auto& [array, all] : accesses)
    if (have_other_pointers(all) && meet(all, kNumbers)) note(all, kRaceInGlobal);
  if ((anywhere & kMeetInShared) || (order_matters(shared) && meet(shared, kThreadNumbers)))
    note(shared, kMeetInShared);
  const int wanted = (asked.global ? kMeetInGlobal | kRaceInGlobal : 0) | (asked.shared ? kMeetInShared : 0);
  for (uint8_t& spaces : meeting) spaces = static_cast<uint8_t>(spaces & wanted);
  // Notes about lanes of one warp tell no arrays apart (lane_races.h).
  if (anywhere || block.count() * grid.count() <= kWarpSize) std::ranges::fill(arrays, 0);
  return {std::move(meeting), units_of(program, arrays)};
}

}  // namespace lockstep
