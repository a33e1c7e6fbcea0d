// deadlock: ends a launch whose threads wait for what will never come. In: the blocks that are left. Out: a failure
// that names the lines, and the lanes of each warp that wait there.
#pragma once

#include <span>

namespace lockstep {

class Block;

void report_deadlock(std::span<const Block* const> blocks);

}  // namespace lockstep
