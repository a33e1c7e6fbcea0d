// linker: the Modules of a program's object files → one Module, in which every name means one thing. What is internal
// to a file gets a name of its own where another file uses the same; of weak duplicates one is kept; declarations give
// way to definitions. What nobody defines stays a declaration: who uses it is refused later, by name.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace lockstep {

// Throws PtxError if two files define the same name for all.
Module link_modules(std::vector<Module> modules);

}  // namespace lockstep
