// object: what a learner's object file defines for others to see → whether it may be linked, and what of it stays seen.
// A program's own definition of a function comes before that of any library: an object that defines one of CUDA's, C's
// or the runner's would be called in its place. So everything but the contract's functions becomes the object's own;
// and a name that can hardly be meant otherwise is refused by name.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "grader/judge/lab.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct Symbol {
  std::string name;  // as the linker knows it
  char kind;         // as nm says it: T, W, D, u …
};

// Of `nm --format=posix --defined-only --extern-only`.
std::vector<Symbol> parse_symbols(const std::string& text);

// Functions with C linkage only: nothing else can take a library's place, and `int index(int)` in C++ is another name.
std::optional<Failure> check_symbols(const std::vector<Symbol>& symbols, const Lab& lab);

// What the runner may call.
std::vector<std::string> symbols_to_keep(const std::vector<Symbol>& symbols, const Lab& lab);

}  // namespace warpladder
