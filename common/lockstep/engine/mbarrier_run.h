// mbarrier_run: the instructions of mbarriers. A thread that waits lets the copies happen that its mbarrier tracks.
#pragma once

#include "program/program.h"

namespace lockstep {

// Runs one mbarrier instruction for the lanes of `mask`, one lane after the other. False: a lane waits for a phase that
// is not over, and other threads should run first.
bool run_mbarrier(Warp& warp, const MbarrierUse& use, Mask mask);

}  // namespace lockstep
