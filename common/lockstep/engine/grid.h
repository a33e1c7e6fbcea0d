// grid: runs all blocks of a launch.
#pragma once

#include "engine/launch_state.h"

namespace lockstep {

class Workers;

// The workers help if they may and if it is worth waking them. What is counted and found does not depend on them.
LaunchState run_grid(const Launch& launch, Workers& workers);

}  // namespace lockstep
