#include "engine/kept_blocks.h"

#include <algorithm>
#include <utility>

#include "engine/block.h"

namespace lockstep {

KeptBlocks::KeptBlocks() = default;
KeptBlocks::~KeptBlocks() = default;
KeptBlocks::KeptBlocks(KeptBlocks&&) noexcept = default;

Blocks KeptBlocks::take(const Launch& launch, LaunchState& state) {
  if (program_ != &launch.program || shape_ != launch.shape) clear();
  Blocks blocks = std::exchange(blocks_, {});
  for (const auto& block : blocks) block->begin_launch(launch, state);
  return blocks;
}

void KeptBlocks::keep(const Launch& launch, Blocks blocks) {
  std::ranges::sort(blocks, std::greater(), [](const auto& block) { return block->slot(); });
  program_ = &launch.program;
  shape_ = launch.shape;
  blocks_ = std::move(blocks);
}

void KeptBlocks::clear() { blocks_.clear(); }

}  // namespace lockstep
