#include "device/carried.h"

#include <algorithm>
#include <cstring>
#include <functional>
#include <iterator>
#include <string_view>

#include "program/register_use.h"
#include "sass/program_flow.h"

namespace lockstep {

Dependences CarriedValues::follow(const Launch& launch, const LaunchState& state, const Dependence& usual) {
  const bool alone = is_alone(launch, state);
  const size_t accesses = launch.program.accesses.size();
  Found found{ByAccess(accesses), ByAccess(accesses), state.contested, state.unwritten};
  bool finds_race = false;
  for (const MemoryAccess& access : launch.program.accesses)
    if (access.op == MemoryOp::kStore)
      for (const uint64_t allocation : state.reached[access.index]) written(allocation);
  each_found(launch, state, [&](uint32_t access, const Values& values) {
    if (values.ordered) found.ordered[access] = true;
    if (values.approximated) found.approximated[access] = true;
    finds_race |= values.raced;
  });
  const Dependences result{dependence_of(launch.program, alone, {{}, {}, state.contested, state.unwritten}, usual),
                           dependence_of(launch.program, alone, std::move(found), usual)};
  const auto left = [&](uint32_t access) {
    const bool ordered = result.all.order.leaves[access];
    return Values{ordered, result.all.bits.leaves[access], ordered && (finds_race || result.own.order.races)};
  };
  for (uint32_t access = 0; access < state.reached.size(); ++access)
    for (const uint64_t allocation : state.reached[access]) hold(allocation, left(access));
  for (const TextureUse& use : launch.program.textures)
    if (use.op == TextureOp::kStore)
      for (const auto& [handle, surface] : launch.textures) hold(memory_.find(surface.address).begin, left(use.access));
  return result;
}

template <class Use>
void CarriedValues::each_found(const Launch& launch, const LaunchState& state, const Use& use) const {
  if (holds_.empty()) return;
  const Program& program = launch.program;
  for (const MemoryAccess& access : program.accesses)
    if (access.op != MemoryOp::kStore)
      for (const uint64_t allocation : state.reached[access.index])
        if (const Values values = in(allocation); access.op == MemoryOp::kLoad || values.unwritten)
          use(access.index, values);
  for (const TextureUse& texture : program.textures)  // of which texture or surface it is was not noted
    if (texture.op != TextureOp::kStore && texture.op != TextureOp::kQuery)
      for (const auto& [handle, from] : launch.textures) use(texture.access, in(memory_.find(from.address).begin));
}

const Dependence& CarriedValues::dependence_of(const Program& program, bool alone, Found found,
                                               const Dependence& usual) {
  if (!alone && !found.any()) return usual;
  const auto [known, is_new] = known_.try_emplace({&program, alone, std::move(found)});
  const Found& key = std::get<Found>(known->first);
  if (is_new) known->second = dependence(program, FlowFacts(flow_of(program)), key, alone);
  return known->second;
}

// Whether one warp alone accesses memory: the launch is one warp, or the others leave before, as where an index is out
// of bounds.
bool CarriedValues::is_alone(const Launch& launch, const LaunchState& state) {
  if (launch.is_one_warp()) return true;
  const Program& program = launch.program;
  const auto [gate, is_new] = gates_.try_emplace(&program);
  if (is_new) gate->second = gate_of(program, FlowFacts(flow_of(program)));
  return gate->second < state.counters.at.size() && state.counters.at[gate->second].warps <= 1;
}

void CarriedValues::allocated(uint64_t address) {
  holds_.erase(address);
  const bool host_writes = memory_.find(address).host_reaches;  // and lockstep does not see it
  if (address && !host_writes) holds_[address] = {.ordered = true, .raced = true, .unwritten = true};
}

void CarriedValues::written(uint64_t allocation) {
  if (in(allocation).unwritten) holds_.erase(allocation);
}

void CarriedValues::overwritten(const Region& region) {
  const Range range = memory_.find(region.address);
  const bool has_gaps = region.rows > 1 && region.pitch > region.width;
  const bool all = range.begin == region.address && range.end - range.begin == region.width * region.rows && !has_gaps;
  if (all || in(range.begin).unwritten) holds_.erase(range.begin);
}

template <class Use>
void CarriedValues::each_block(const Region& region, const Use& use) {
  constexpr uint64_t kBlock = 256;  // bytes
  for (uint64_t row = 0; row < region.rows; ++row)
    for (uint64_t at = 0; at < region.width; at += kBlock) {
      const auto* const bytes = reinterpret_cast<const char*>(region.address + row * region.pitch + at);
      const std::string_view block(bytes, std::min(kBlock, region.width - at));
      const bool is_cleared = block.find_first_not_of(block[0]) == block.npos;  // such blocks are alike everywhere
      if (!is_cleared) use(std::hash<std::string_view>()(block));
    }
}

void CarriedValues::fetched(const Region& region) {
  const Values values = in(memory_.find(region.address).begin);
  host_sees(region, values);
  constexpr size_t kMostBlocks = 1 << 20;  // of 256 MiB; more would take too much memory
  if (!values.any() || fetched_.size() > kMostBlocks) return;
  each_block(region, [&](size_t hash) { fetched_[hash].add(values); });
}

void CarriedValues::given(const Region& region) {
  overwritten(region);
  if (fetched_.empty()) return;
  Values values;
  each_block(region, [&](size_t hash) {
    if (const auto found = fetched_.find(hash); found != fetched_.end()) values.add(found->second);
  });
  hold(memory_.find(region.address).begin, values);
}

void CarriedValues::copied(const Region& to, uint64_t from) {
  Values values = in(memory_.find(from).begin);
  values.unwritten = false;
  overwritten(to);
  const Range range = memory_.find(to.address);
  if (range.host_reaches) host_sees(to, values);
  hold(range.begin, values);
}

void CarriedValues::host_sees(const Region& region, const Values& values) {
  constexpr uint64_t kFew = 64;  // bytes; a whole array is printed or compared
  if (!values.raced || region.rows > 1 || region.width > kFew) return;
  for (uint64_t at = 0; at + sizeof(uint32_t) <= region.width; at += sizeof(uint32_t)) {
    uint32_t number;
    std::memcpy(&number, reinterpret_cast<const void*>(region.address + at), sizeof number);
    if (number > 1) race_numbers_.insert(number);  // 0 and 1 are answers; too many arguments have them
  }
}

bool CarriedValues::passes_race(std::span<const std::byte> arguments, const LaunchShape& shape) const {
  for (size_t at = 0; at + sizeof(uint32_t) <= arguments.size(); at += sizeof(uint32_t)) {
    uint32_t word;
    std::memcpy(&word, arguments.data() + at, sizeof word);
    if (race_numbers_.contains(word)) return true;
  }
  const uint64_t threads = shape.block.count(), blocks = shape.grid.count();
  if (blocks == 1) return false;  // too many numbers lead to one block
  const auto most = race_numbers_.upper_bound(blocks * threads);
  return race_numbers_.contains(blocks) || (most != race_numbers_.begin() && *std::prev(most) > (blocks - 1) * threads);
}

void CarriedValues::hold(uint64_t allocation, const Values& values) {
  if (!values.any()) return;
  holds_[allocation].add(values);
  const Range range = memory_.find(allocation);
  if (range.host_reaches) host_sees({range.begin, range.end - range.begin, range.end - range.begin}, values);
}

CarriedValues::Values CarriedValues::in(uint64_t allocation) const {
  const auto found = holds_.find(allocation);
  return found == holds_.end() ? Values{} : found->second;
}

}  // namespace lockstep
