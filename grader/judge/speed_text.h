// speed_text: Speed → a table for a person, and JSON.
#pragma once

#include <string>

#include <nlohmann/json_fwd.hpp>

#include "grader/judge/speed.h"

namespace warpladder {

// baseline: as lab.json names it, "cpu" or a lab's number.
std::string speed_text(const Speed& speed, const std::string& baseline);
nlohmann::json speed_json(const Speed& speed);

}  // namespace warpladder
