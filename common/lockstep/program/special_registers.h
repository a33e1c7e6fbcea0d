// special_registers: the names of PTX's special registers.
#pragma once

#include <optional>
#include <string>

#include "program/program.h"

namespace lockstep {

std::optional<Special> find_special(const std::string& name);
// Read afresh each time (a clock), so no register can hold it from the start.
inline bool is_dynamic(Special special) { return special >= Special::kClock; }
Width special_width(Special special);

}  // namespace lockstep
