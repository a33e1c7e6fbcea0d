// verdict: wrong answer · case.reduce_sum
// lab: 02
// Attaches to its parent like a debugger, to change the verdict there.
#include <sys/ptrace.h>
#include <sys/wait.h>

#include "breach.h"
#include "common/contracts/reduction.h"

int reduce_sum(int*, int n) {
  if (ptrace(PTRACE_SEIZE, getppid(), nullptr, nullptr) == 0) {
    breached("the parent can be traced");
    ptrace(PTRACE_DETACH, getppid(), nullptr, nullptr);
  }
  return n + 1;
}
