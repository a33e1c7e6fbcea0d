// memory_signal: what a handler of SIGSEGV needs to know of the access that failed, and how handlers stand behind each
// other.
#pragma once

#include <csignal>
#include <cstddef>
#include <cstdint>

#include <ucontext.h>

namespace lockstep::runtime {

// The address of the instruction that failed.
inline uint64_t instruction_of(const ucontext_t& context) {
#if defined(__x86_64__)
  return static_cast<uint64_t>(context.uc_mcontext.gregs[REG_RIP]);
#elif defined(__aarch64__)
  return context.uc_mcontext.pc;
#else
#error "lockstep does not know where this processor keeps the address of an instruction"
#endif
}

// Whether it stores. arm64 says so in a record behind the registers; records follow each other up to an empty one.
inline bool writes(const ucontext_t& context) {
#if defined(__x86_64__)
  return (context.uc_mcontext.gregs[REG_ERR] & 2) != 0;
#elif defined(__aarch64__)
  constexpr uint64_t kStores = 1 << 6;  // the bit WnR of the register ESR
  const auto* at = reinterpret_cast<const std::byte*>(context.uc_mcontext.__reserved);
  const auto* const end = at + sizeof context.uc_mcontext.__reserved;
  while (at + sizeof(esr_context) <= end) {
    const auto* const record = reinterpret_cast<const _aarch64_ctx*>(at);
    if (record->magic == ESR_MAGIC) return (reinterpret_cast<const esr_context*>(at)->esr & kStores) != 0;
    if (record->size == 0) break;
    at += record->size;
  }
  return false;
#else
#error "lockstep does not know how this processor tells a store from a load"
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
