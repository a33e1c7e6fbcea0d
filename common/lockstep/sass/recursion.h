// recursion: functions that call themselves, directly or through others. In: the program. Out: for each instruction,
// the branches at which lanes may part in such a function and stay apart until they come here. An H200 made four
// stores, not one, behind such a call: it did not bring the lanes together, though the function has BSSY and BSYNC.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

class Recursion {
 public:
  Recursion(const Program& program, const FlowFacts& facts);
  std::vector<uint32_t> parted_by(uint32_t instruction) const {
    return behind_[instruction] ? branches_ : std::vector<uint32_t>();
  }

 private:
  std::vector<uint32_t> branches_;
  std::vector<bool> behind_;  // by instruction: perhaps behind a call. Everything in a called function may be.
};

}  // namespace lockstep
