// carried: values in global memory that may differ from run to run of a card. One launch leaves them there, and later
// launches find them. An allocation counts as a whole: once a kernel has left such a value in it, all of it is taken to
// hold some, until the host overwrites all of it; and until somebody writes to a part of it, all of it holds what was
// left there by chance. Values that the host fetches and gives back unchanged are known by their bytes, and so are
// numbers that come from a race and that the host passes to a launch. What else the host makes of such values is not
// followed.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "device/requests.h"
#include "engine/launch_state.h"
#include "sass/influence.h"

namespace lockstep {

class CarriedValues {
 public:
  explicit CarriedValues(const Memory& memory) : memory_(memory) {}

  // On what the accesses of a launch that has ended depend. usual: if it found nothing that may differ on a card. Notes
  // what the launch leaves.
  Dependences follow(const Launch& launch, const LaunchState& state, const Dependence& usual);

  void overwritten(const Region& region);
  // The host fetched the region, or wrote it. It may write what it fetched before: a part of it, or to another array.
  void fetched(const Region& region);
  void given(const Region& region);
  void copied(const Region& to, uint64_t from);
  // Whether an argument of the launch, or its number of blocks, is a number that a race left and the host fetched.
  bool passes_race(std::span<const std::byte> arguments, const LaunchShape& shape) const;
  // Nobody has written to it yet.
  void allocated(uint64_t address);
  void forget_programs() {
    known_.clear();
    gates_.clear();
  }

 private:
  struct Values {
    bool ordered = false, approximated = false;
    bool raced = false;      // ordered, and from a race or by chance
    bool unwritten = false;  // and nobody has written to it yet
    bool any() const { return ordered || approximated; }
    void add(const Values& other) {
      ordered |= other.ordered;
      approximated |= other.approximated;
      raced |= other.raced;
    }
  };
  Values in(uint64_t allocation) const;
  void hold(uint64_t allocation, const Values& values);
  void host_sees(const Region& region, const Values& values);
  // Somebody writes to a part of it.
  void written(uint64_t allocation);
  // Calls use(access, values) for each load of an allocation.
  template <class Use>
  void each_found(const Launch& launch, const LaunchState& state, const Use& use) const;
  const Dependence& dependence_of(const Program& program, bool alone, Found found, const Dependence& usual);
  bool is_alone(const Launch& launch, const LaunchState& state);

  // Calls use(hash) for each block of bytes in the region.
  template <class Use>
  static void each_block(const Region& region, const Use& use);

  const Memory& memory_;
  std::map<uint64_t, Values> holds_;            // by the start of the allocation; others hold none
  std::unordered_map<size_t, Values> fetched_;  // by the hash of a block
  std::set<uint64_t> race_numbers_;             // that races left and the host fetched
  std::map<const Program*, uint32_t> gates_;
  // Whether one warp alone accesses memory.
  std::map<std::tuple<const Program*, bool, Found>, Dependence> known_;
};

}  // namespace lockstep
