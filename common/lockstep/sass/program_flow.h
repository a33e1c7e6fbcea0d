// program_flow: a Program → its flow, in the terms of the PTX's lines.
#pragma once

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

Flow flow_of(const Program& program);

}  // namespace lockstep
