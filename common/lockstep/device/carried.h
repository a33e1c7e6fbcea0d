// carried: values in global memory that may differ from run to run of a card. One launch leaves them there, and later
// launches find them. An allocation counts as a whole: once a kernel has left such a value in it, all of it is taken to
// hold some, until the host overwrites all of it.
#pragma once

#include <cstdint>
#include <map>
#include <tuple>

#include "device/requests.h"
#include "engine/launch_state.h"
#include "sass/influence.h"

namespace lockstep {

class CarriedValues {
 public:
  explicit CarriedValues(const Memory& memory) : memory_(memory) {}

  // On what the accesses of a launch that has ended depend. own: if it found nothing. Notes what the launch leaves.
  const Dependence& follow(const Launch& launch, const LaunchState& state, const Dependence& own);

  void overwritten(const Region& region);  // by the host
  void copied(const Region& to, uint64_t from);
  void allocated(uint64_t address) { holds_.erase(address); }
  void forget_programs() { known_.clear(); }

 private:
  struct Values {
    bool ordered = false, approximated = false;
  };
  Values in(uint64_t allocation) const;
  Found found(const Launch& launch, const LaunchState& state) const;

  const Memory& memory_;
  std::map<uint64_t, Values> holds_;  // by the start of the allocation; others hold none
  // Whether the launch is one warp.
  std::map<std::tuple<const Program*, bool, Found>, Dependence> known_;
};

}  // namespace lockstep
