// unsupported: why an instruction is refused. Thrown while a statement is decoded; the program keeps the first.
#pragma once

#include <stdexcept>
#include <string>

#include "ptx/module.h"

namespace lockstep {

struct Unsupported : std::runtime_error {
  explicit Unsupported(const std::string& what,
                       const std::string& next = "run it on a GPU, or write it without this instruction.")
      : std::runtime_error(what + "\n  Next: " + next) {}
};

// For a name that is declared and not defined.
inline Unsupported not_defined(const std::string& what, const std::string& name) {
  return Unsupported(
      "the " + what + " '" + demangled(name) + "' is not defined in the PTX of any of the program's files",
      "define it, and build every file that defines such with -gencode arch=compute_75,code=compute_75 "
      "and --compress-mode=none.");
}

}  // namespace lockstep
