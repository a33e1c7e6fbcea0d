// parser: tokens → Module. Resolves scopes, so that names are unique within a function; program decides what a name
// means. Left out: debug sections, pragmas and tuning directives.
#pragma once

#include "ptx/lexer.h"
#include "ptx/module.h"

namespace lockstep {

// Throws PtxError.
Module parse(std::string_view ptx);

}  // namespace lockstep
