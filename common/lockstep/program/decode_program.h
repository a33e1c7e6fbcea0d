// decode_program: a Module's entry point and all that it can call → a Program: decoded, with registers and variables
// laid out, and each branch with the instruction at which its two sides meet again.
#pragma once

#include <memory>

#include "program/program.h"

namespace lockstep {

// Throws PtxError if the PTX is malformed. The first unsupported instruction becomes the Program's refusal.
std::unique_ptr<Program> decode_program(const Module& module, const Function& entry, const Symbols& symbols);

}  // namespace lockstep
