#include "runtime/refusals.h"

#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace lockstep::runtime {
namespace {

std::atomic<bool> refused = false;

void change_exit_code(int status, void*) {
  const char* const code = std::getenv("LOCKSTEP_REFUSED");
  if (status != 0 || !refused || code == nullptr || *code == '\0') return;
  std::fflush(nullptr);  // exit() would do it after this function
  _exit(std::atoi(code));
}

// Registered before anything of the program, so it runs after all that the program does at its end.
[[gnu::constructor]] void look_at_the_end() { on_exit(change_exit_code, nullptr); }

}  // namespace

void note_refusal() { refused = true; }

}  // namespace lockstep::runtime
