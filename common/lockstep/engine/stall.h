// stall: whether the blocks that take turns will ever get on. In: the blocks, after each round of turns. Out: none of
// them ever will. That is sure if nobody has changed memory for some rounds, and every warp has come back to a state in
// which it was in the meantime: its registers, its local memory, and where its lanes are. Loops that count or look at
// the clock never come back, and other threads of the program may write, too: then it is believed when nothing has
// changed for kPatience.
#pragma once

#include <chrono>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

namespace lockstep {

class Block;
class Warp;
struct Launch;
struct LaunchState;

class StallWatch {
 public:
  StallWatch(const Launch& launch, LaunchState& state) : launch_(launch), state_(state) {}

  // Begins anew: the blocks are not the same any more.
  void reset() { quiet_ = 0; }
  // Each of these has had its turn; no other block can begin. If they are stuck for good, the launch fails with what
  // their lanes wait for.
  void look(std::span<const Block* const> blocks);

 private:
  struct Seen {
    uint64_t state = 0;
    bool again = false;
  };

  uint64_t changes();
  bool all_stuck(std::span<const Block* const> blocks);

  const Launch& launch_;
  LaunchState& state_;
  std::vector<uint32_t> changing_;  // instructions that may change what others read; empty: not looked for yet
  uint64_t changes_ = 0;
  uint32_t quiet_ = 0;  // rounds without a change
  std::chrono::steady_clock::time_point since_{};
  std::unordered_map<const Warp*, Seen> warps_;
};

}  // namespace lockstep
