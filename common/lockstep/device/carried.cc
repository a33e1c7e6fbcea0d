#include "device/carried.h"

#include <algorithm>
#include <functional>
#include <string_view>

#include "program/register_use.h"
#include "sass/program_flow.h"

namespace lockstep {

Dependences CarriedValues::follow(const Launch& launch, const LaunchState& state, const Dependence& usual) {
  const bool alone = is_alone(launch, state);
  const Dependences result{dependence_of(launch.program, alone, {{}, {}, state.contested}, usual),
                           dependence_of(launch.program, alone, found(launch, state), usual)};
  const auto left = [&](uint32_t access) {
    return Values{result.all.order.leaves[access], result.all.bits.leaves[access]};
  };
  for (uint32_t access = 0; access < state.reached.size(); ++access)
    for (const uint64_t allocation : state.reached[access]) hold(allocation, left(access));
  for (const TextureUse& use : launch.program.textures)
    if (use.op == TextureOp::kStore)
      for (const auto& [handle, surface] : launch.textures) hold(memory_.find(surface.address).begin, left(use.access));
  return result;
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

void CarriedValues::watch_shared(const Program& program, std::vector<uint8_t>& meeting) {
  const auto [pairs, is_new] = shared_pairs_.try_emplace(&program);
  if (is_new) pairs->second = shared_pairs_of(program);
  for (const SharedPair& pair : pairs->second) {
    if (pair.same_address && !(meeting[pair.store] & kMeetInShared)) continue;
    meeting[pair.load] |= kRaceInShared;
    meeting[pair.store] |= kRaceInShared;
  }
}

void CarriedValues::overwritten(const Region& region) {
  const Range range = memory_.find(region.address);
  const bool has_gaps = region.rows > 1 && region.pitch > region.width;
  if (range.begin == region.address && range.end - range.begin == region.width * region.rows && !has_gaps)
    holds_.erase(range.begin);
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
  overwritten(to);
  hold(memory_.find(to.address).begin, in(memory_.find(from).begin));
}

void CarriedValues::hold(uint64_t allocation, const Values& values) {
  if (values.any()) holds_[allocation].add(values);
}

CarriedValues::Values CarriedValues::in(uint64_t allocation) const {
  const auto found = holds_.find(allocation);
  return found == holds_.end() ? Values{} : found->second;
}

Found CarriedValues::found(const Launch& launch, const LaunchState& state) const {
  const Program& program = launch.program;
  Found result{ByAccess(program.accesses.size()), ByAccess(program.accesses.size()), state.contested};
  if (holds_.empty()) return result;
  const auto add = [&](uint32_t access, uint64_t allocation) {
    const Values values = in(allocation);
    if (values.ordered) result.ordered[access] = true;
    if (values.approximated) result.approximated[access] = true;
  };
  for (const MemoryAccess& access : program.accesses)
    if (access.op == MemoryOp::kLoad)
      for (const uint64_t allocation : state.reached[access.index]) add(access.index, allocation);
  for (const TextureUse& use : program.textures)  // of which texture or surface it is was not noted
    if (use.op != TextureOp::kStore && use.op != TextureOp::kQuery)
      for (const auto& [handle, texture] : launch.textures) add(use.access, memory_.find(texture.address).begin);
  return result;
}

}  // namespace lockstep
