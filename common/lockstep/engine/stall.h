// stall: finds blocks that wait forever. In: the blocks, after each round of turns. Out: the launch fails if no block
// can continue. That is certain if no thread has changed memory for some rounds and every warp has returned to an
// earlier state: the same registers, the same local memory, the same pcs. Loops that count or read the clock never
// return to a state, and other threads of the program may write memory: then the launch fails after kPatience of
// processor time without a change.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace lockstep {

class Block;
class Warp;
struct Launch;
struct LaunchState;

// Ends a launch whose threads wait for each other forever. In: the blocks that are left. Out: a fault that names the
// lines, and for each line the warps and lanes that wait there.
void report_deadlock(std::span<const Block* const> blocks);

// The same blocks at an interruption: what one of their threads is doing, in words. Mostly it is in an endless loop.
std::string report_running(std::span<const Block* const> blocks);

class StallWatch {
 public:
  StallWatch(const Launch& launch, LaunchState& state) : launch_(launch), state_(state) {}

  // Starts again: the blocks are not the same as before.
  void reset();
  // Each of these blocks has had its turn, and no other block can begin. If they wait forever, the launch fails.
  void look(std::span<const Block* const> blocks);
  // Whether nothing has changed between the last two looks.
  bool is_quiet() const { return quiet_ > 1; }

 private:
  struct Seen {
    uint64_t state = 0;
    bool again = false;
  };

  uint64_t changes();
  bool all_stuck(std::span<const Block* const> blocks);

  const Launch& launch_;
  LaunchState& state_;
  std::vector<uint32_t> changing_;  // instructions that may change memory that others read; empty: not yet known
  uint64_t changes_ = 0;
  uint32_t quiet_ = 0;  // rounds without a change
  double since_ = 0;    // seconds of processor time
  std::unordered_map<const Warp*, Seen> warps_;
};

}  // namespace lockstep
