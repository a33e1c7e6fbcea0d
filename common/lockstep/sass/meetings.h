// meetings: where lanes of a warp that took different ways are not together in the machine code. They wait for each
// other at BSYNC, behind the BSSY that opened the barrier, and at WARPSYNC.ALL. An instruction that both sides of a
// branch reach before such a place is executed once for each side.
#pragma once

#include <cstdint>
#include <vector>

#include "sass/flow.h"

namespace lockstep {

class Meetings {
 public:
  explicit Meetings(const FlowFacts& facts);
  // The branches whose sides come apart from each other to one of these instructions, which are copies of one. around:
  // also in different turns of a loop.
  std::vector<uint32_t> parting(const std::vector<uint32_t>& copies, bool around) const;
  // Whether a barrier is open there. ptxas opens none for a branch of which it knows that all lanes go the same way.
  bool in_barrier(uint32_t branch) const { return !open_[branch].empty(); }

 private:
  // By piece: the side of a branch that reaches it before the lanes are together again, from 1; or kNoSide, kSeveral.
  using Reached = std::vector<uint8_t>;
  static constexpr uint8_t kNoSide = 0, kSeveral = 0xff;
  struct Sides {
    uint32_t branch = 0;
    Reached forward, around;
  };
  // Straight code, which lanes enter at its first instruction and leave behind its last.
  struct Piece {
    uint32_t last = 0;
    uint8_t closes = Flow::kNoBarrier;
    bool gathers = false;                     // ends with Flow::gathers
    std::vector<uint32_t> next{}, forward{};  // pieces; forward: without the steps back
  };
  void find_barriers();
  void find_pieces();
  std::vector<bool> ends(uint32_t branch) const;
  Reached reached(uint32_t branch, const std::vector<bool>& ends, bool around) const;

  const FlowFacts& facts_;
  std::vector<std::vector<uint8_t>> open_;  // by instruction: the open barriers, the innermost last
  std::vector<Piece> pieces_;
  std::vector<uint32_t> piece_;  // by instruction
  std::vector<Sides> sides_;
};

}  // namespace lockstep
