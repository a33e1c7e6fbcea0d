// compile: a learner's file → a lab binary. The command lines are those that CMake wrote into build.json.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/lab/lab.h"
#include "grader/judge/sandbox/child.h"

namespace warpladder {

// Between compiler and linker, object.cc checks what the file defines. A failure of the compiler or the linker is the
// learner's fault, since only the learner's object changes. warnings, if given, gets those that may explain a failure.
std::optional<Failure> compile(const Build& build, const Lab& lab, const std::filesystem::path& source,
                               const std::filesystem::path& binary, const TemporaryFolder& folder,
                               std::vector<Message>* warnings = nullptr);

// Asks ptxas what it makes of a program that was compiled, beside the judge's other work. The answers lie in the folder
// sass/ of `folder` for lockstep. If there are none, lockstep guesses and says so in its report.
class Asking {
 public:
  Asking(const Build& build, const Lab& lab, const std::filesystem::path& binary, const TemporaryFolder& folder);
  void wait();
  const std::filesystem::path& answers() const { return answers_; }

 private:
  std::filesystem::path answers_;
  double seconds_;
  std::optional<Child> child_;
};

// True if a part of the compiler ended by SIGKILL. The kernel sends it when memory runs out, which any program can
// cause, and to a part of a compiler that runs for too long.
bool compiler_was_killed(const Failure& failure);

// A visible name of the learner's object file.
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
