// object: the visible names of a learner's object file → whether it may be linked, and which names stay visible.
// A program's own function comes before that of any library: if an object defines a function of CUDA, of C or of the
// runner, that function is called in place of the real one. So all names but the contract's functions become local to
// the object, and a name that almost certainly means such a replacement is refused.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"

namespace warpladder {

struct Symbol {
  std::string name;  // as the linker knows it
  char kind;         // nm's letter: T, W, D, u …
};

// Reads the output of `nm --format=posix --defined-only --extern-only`.
std::vector<Symbol> parse_symbols(const std::string& text);

// Looks at functions with C linkage only: nothing else can replace a library's function. In C++, `int index(int)` is
// another name than C's index.
std::optional<Failure> check_symbols(const std::vector<Symbol>& symbols, const Lab& lab);

// The names that the runner may call.
std::vector<std::string> symbols_to_keep(const std::vector<Symbol>& symbols, const Lab& lab);

}  // namespace warpladder
