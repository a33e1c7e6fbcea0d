// kept_blocks: the blocks of one launch, for the next launch of the same kernel with the same shape. Then warps need no
// new registers, and what is constant stands in them already. Programs that launch one kernel again and again, with all
// blocks on the card at once, would spend a third of their time on that.
#pragma once

#include <memory>
#include <vector>

#include "engine/launch.h"

namespace lockstep {

class Block;
struct LaunchState;
using Blocks = std::vector<std::unique_ptr<Block>>;

// Of one thread of the host.
class KeptBlocks {
 public:
  KeptBlocks();
  ~KeptBlocks();
  KeptBlocks(KeptBlocks&&) noexcept;

  Blocks take(const Launch& launch, LaunchState& state);  // those that this launch can use, slot 0 last
  void keep(const Launch& launch, Blocks blocks);         // all of them have ended
  void clear();                                           // before the program goes away

 private:
  const Program* program_ = nullptr;
  LaunchShape shape_;
  Blocks blocks_;
};

}  // namespace lockstep
