// parser: tokens → Module. Resolves scopes (names arrive unique within a function) and nothing else; program
// decides what a name means. Debug sections, pragmas and tuning directives are left out.
#pragma once

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace lockstep {

// Throws PtxError.
Module parse(std::string_view ptx);

}  // namespace lockstep
