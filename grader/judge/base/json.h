// json: a short name for the JSON library's value. The library is slow to compile: only .cc files include this.
#pragma once

#include <nlohmann/json.hpp>

#include "grader/judge/base/message.h"

namespace warpladder {

using Json = nlohmann::json;

// Words with their form and arguments, for a translation. Anything else is the same in every language: a string.
void to_json(Json& json, const Message& text);

}  // namespace warpladder
