// races: the loads that may find what other threads of the launch change meanwhile, though nothing in the load says so
// (it is neither volatile nor an atomic). Two threads race if the place is not the thread's own, and if no barrier
// stands between the load and the store. In global memory, a barrier orders only places of the block's own.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"
#include "sass/lane_pairs.h"
#include "sass/makers.h"
#include "sass/shared_pairs.h"
#include "sass/uniform.h"

namespace lockstep {

class Races {
 public:
  Races(const Program& program, const FlowFacts& facts);
  // Whether another thread may change what this load brings.
  bool may_change(const MemoryAccess& load);
  std::vector<SharedPair> shared_pairs();
  std::vector<LanePair> lane_pairs() const;

 private:
  // Where a pointer comes from: the address of its parameter, variable or shared array. If it lies in memory: the same
  // of the pointer that leads there, and the offset.
  using Name = std::vector<int64_t>;
  struct Use {
    const MemoryAccess* access = nullptr;
    // Its address, without constants that are added.
    Register base{};
    int64_t offset = 0;
    std::set<Name> arrays{};
    uint64_t step = 1;  // the base is the array's address, plus a multiple of this
  };

  Use use_of(const MemoryAccess& access) const;
  void take_constants(Use& use) const;
  void add_arrays(Register part, bool shared, size_t depth, std::set<Name>& found, std::set<Register>& seen) const;
  void add_pointer(const MemoryAccess& from, size_t depth, std::set<Name>& found) const;
  std::set<Name> shared_arrays(const std::set<Name>& constants) const;
  uint64_t step_of(Register index, std::set<Register>& seen) const;
  const Preset* constant(Register one) const;
  const std::vector<uint32_t>& makers(Register one) const;

  bool is_from_memory(Register part, bool added, std::set<Register>& seen) const;
  bool is_same(Register one, Register other, size_t depth = 0) const;
  bool has_same_address(const Use& one, const Use& other) const;
  bool are_apart(const Use& one, const Use& other) const;
  bool is_own(const Use& load, const Use& store);
  bool are_concurrent(const Use& load, const Use& other) const;
  bool share_array(const Use& load, const Use& other) const;
  bool may_meet(const Use& load, const Use& other) const;
  bool are_of_one_thread(const Use& load, const Use& other);
  bool is_of_block(Register part, std::set<Register>& seen) const;
  // By register that the block's number makes: how often the value contains it.
  using BlockParts = std::map<Register, int64_t>;
  BlockParts block_parts(Register value, std::set<Register>& seen) const;
  std::optional<bool> guard_on_the_way(uint32_t branch, uint32_t pc) const;
  void add_equalities(Register predicate, bool value, std::set<uint32_t>& found, size_t depth = 0);
  const std::set<uint32_t>& choosers(uint32_t pc);

  const Program& program_;
  const FlowFacts& facts_;
  std::vector<uint32_t> function_;
  Places makers_;
  std::map<Register, Preset> constants_;
  std::set<Register> block_numbers_;
  Uniform in_launch_, in_block_;
  std::vector<Use> uses_;                     // by Program::accesses
  std::vector<std::vector<bool>> intervals_;  // by instruction: what threads come to between two barriers
  std::map<uint32_t, std::set<uint32_t>> choosers_;
};

}  // namespace lockstep
