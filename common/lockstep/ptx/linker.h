// linker: the Modules of a program's object files → one Module, in which every name means one thing. An internal symbol
// is renamed if another file uses the same name. One of several weak definitions is kept. A definition replaces the
// declarations. A symbol without a definition stays a declaration, and a kernel that uses it is refused later, by name.
#pragma once

#include <vector>

#include "ptx/module.h"

namespace lockstep {

// Throws PtxError if two files define the same name for all files.
Module link_modules(std::vector<Module> modules);

}  // namespace lockstep
