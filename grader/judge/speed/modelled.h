// modelled: lockstep's reports of a code and of the rung below → times and speedups for some cards, by a cost model.
// Only counts and arithmetic: no clock is read, and the same code always gets the same times.
#pragma once

#include <filesystem>

#include "grader/judge/lab/lab.h"
#include "grader/judge/rules/report.h"
#include "grader/judge/speed/speed.h"

namespace warpladder {

// mine: the report of the measured case. below: the file with the report of the rung below on its own measured case,
// which the build made (judge --report). "": the baseline is the serial CPU.
void model_speed(const Lab& lab, const Report& mine, const std::filesystem::path& below, Speed& speed);

}  // namespace warpladder
