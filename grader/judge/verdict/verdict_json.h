// verdict_json: Result → JSON, as verdict.schema.json describes it.
#pragma once

#include <string>

#include "grader/judge/verdict/verdict.h"

namespace warpladder {

std::string to_json(const Result& result);

}  // namespace warpladder
