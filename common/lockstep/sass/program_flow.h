// program_flow: a Program → its flow, in the terms of the PTX's lines.
#pragma once

#include <cstdint>
#include <vector>

#include "program/program.h"
#include "sass/flow.h"

namespace lockstep {

Flow flow_of(const Program& program);

// The functions that the instruction may call, as indices into Program::functions. A call through a register may be of
// any of them.
std::vector<uint32_t> callees_of(const Program& program, uint32_t pc);

// Marks what lanes come to from here before a barrier, a warp sync or a collective brings them together, also in the
// functions that they call. reached: by instruction, and one more for the end.
void spread_apart(const Program& program, const Flow& flow, uint32_t from, std::vector<bool>& reached);

// The same for lanes that the machine code lets go on alone. A collective does not bring them together: they only
// exchange values there. groups: a barrier does not, either. From the end of a function, such lanes may come to the
// instruction behind any of its calls.
void spread_alone(const Program& program, const Flow& flow, uint32_t from, bool groups, std::vector<bool>& reached);

// The last instruction, outside of loops, that every lane passes before it accesses memory. A number that is no
// instruction: there is none.
uint32_t gate_of(const Program& program, const FlowFacts& facts);

}  // namespace lockstep
