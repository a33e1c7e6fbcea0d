// modelled: lockstep's reports of a code and of the rung below it → what a cost model says of some cards. Counts and
// arithmetic: no clock is asked, and the same code always gets the same times.
#pragma once

#include <filesystem>

#include "grader/judge/lab.h"
#include "grader/judge/rules.h"
#include "grader/judge/speed.h"

namespace warpladder {

// mine: of the measured case. below: the file with the report of the rung below on its own measured case, which the
// build made (judge --report); "": the baseline is the serial CPU.
void model_speed(const Lab& lab, const Report& mine, const std::filesystem::path& below, Speed& speed);

}  // namespace warpladder
