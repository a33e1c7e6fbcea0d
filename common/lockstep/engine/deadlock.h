// deadlock: ends a launch whose threads wait for each other forever. In: the blocks that are left. Out: a fault that
// names the lines, and for each line the warps and lanes that wait there.
#pragma once

#include <span>

namespace lockstep {

class Block;

void report_deadlock(std::span<const Block* const> blocks);

}  // namespace lockstep
