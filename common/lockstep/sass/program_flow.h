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

// Marks what lanes come to that go on for themselves in the machine code, before a barrier or a warp sync brings them
// together; groups of lanes: before a warp sync does. At a collective they only exchange values. Behind a function,
// they go on behind all of its calls.
void spread_alone(const Program& program, const Flow& flow, uint32_t from, bool groups, std::vector<bool>& reached);

// The last instruction, outside of loops, that every lane passes before it accesses memory. A number that is no
// instruction: there is none.
uint32_t gate_of(const Program& program, const FlowFacts& facts);

}  // namespace lockstep
