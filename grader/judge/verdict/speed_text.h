// speed_text: Speed → a table for a person.
#pragma once

#include <string>

#include "grader/judge/speed/speed.h"

namespace warpladder {

// baseline: as lab.json names it, "cpu" or a lab's number.
std::string speed_text(const Speed& speed, const std::string& baseline);

}  // namespace warpladder
