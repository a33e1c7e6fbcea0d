// memory_signal: what a handler of SIGSEGV needs to know of the access that failed, and how handlers stand behind each
// other.
#pragma once

#include <csignal>
#include <cstdint>

#include <ucontext.h>

namespace lockstep::runtime {

inline bool writes(const ucontext_t& context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#else
  return (void)context, false;
#endif
}

// Makes `handler` the first one. The program may have set one of its own since the last time: `before` gets it.
inline void take_signal(int signal, void (*handler)(int, siginfo_t*, void*), struct sigaction& before) {
  struct sigaction now {};
  sigaction(signal, nullptr, &now);
  if ((now.sa_flags & SA_SIGINFO) && now.sa_sigaction == handler) return;
  before = now;
  struct sigaction ours {};
  ours.sa_sigaction = handler;
  ours.sa_flags = SA_SIGINFO | SA_ONSTACK;
  sigaction(signal, &ours, nullptr);
}

// The signal is not for the present handler.
inline void pass_on(const struct sigaction& before, int signal, siginfo_t* info, void* context) {
  if (before.sa_flags & SA_SIGINFO) return before.sa_sigaction(signal, info, context);
  if (before.sa_handler != SIG_DFL && before.sa_handler != SIG_IGN) return before.sa_handler(signal);
  struct sigaction usual {};
  usual.sa_handler = SIG_DFL;
  sigaction(signal, &usual, nullptr);  // the instruction runs again, and ends the process
}

}  // namespace lockstep::runtime
