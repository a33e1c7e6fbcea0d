// json: a short name for the JSON library's value. The library is slow to compile: only .cc files include this.
#pragma once

#include <nlohmann/json.hpp>

namespace warpladder {

using Json = nlohmann::json;

}  // namespace warpladder
