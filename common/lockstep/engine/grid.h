// grid: runs all blocks of a launch.
#pragma once

#include <span>

#include "engine/launch_state.h"

namespace lockstep {

class KeptBlocks;
class Workers;

// The workers help if they may and if it is worth waking them. What is counted and found does not depend on them.
// kept: one for this thread, and one for each helper.
LaunchState run_grid(const Launch& launch, Workers& workers, std::span<KeptBlocks> kept);

}  // namespace lockstep
