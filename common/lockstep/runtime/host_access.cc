// host_access: the program's own code reads or writes device memory. Where the device is another process, this ends the
// program, as with a card. Before it ends, the device is told the line.
#include "runtime/api.h"

#include <unistd.h>

#include <mutex>

#include "runtime/call_place.h"
#include "runtime/memory_signal.h"

namespace lockstep::runtime {
namespace {

struct sigaction handled_before {};

// An access of the program's own code, outside of every call of the runtime: then its lock is free. Nothing here would
// be allowed in a handler that may interrupt anything, but an access to device memory interrupts only the program.
void tell_access(const void* address, const ucontext_t& context) {
  Runtime& runtime = Runtime::instance();
  const std::unique_lock lock(runtime.mutex, std::try_to_lock);
  if (!lock || runtime.pid != getpid()) return;
  const Target target = target_of(runtime, address);
  if (!(target.known || target.freed) || target.kind != MemoryKind::kDevice) return;
  const CallKind kind = writes(context) ? CallKind::kHostWrite : CallKind::kHostRead;
  runtime.device->tell_place(kind, address_of(address), place_of(call_stack()));
}

void on_host_access(int signal, siginfo_t* info, void* context) {
  tell_access(info->si_addr, *static_cast<ucontext_t*>(context));
  pass_on(handled_before, signal, info, context);
}

}  // namespace

void watch_host_accesses() { take_signal(SIGSEGV, on_host_access, handled_before); }

}  // namespace lockstep::runtime
