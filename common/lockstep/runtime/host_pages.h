// host_pages: notices the host when it reads or writes memory that unfinished work still uses. In: the bytes that work
// uses. Their pages are closed to the host until the work has ended for it. Out: touches, which the handler of SIGSEGV
// records; then it opens the pages, and the program goes on.
//
// A page may also hold bytes that no work uses. An access to those is let through by itself: one instruction runs with
// the page open (where the processor can stop behind it), or the page stays open. A system call cannot be let through:
// it fails with EFAULT. So the last page of a long range, which others may share, stays open.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/call_place.h"
#include "runtime/streams.h"

namespace lockstep::runtime {

// Bytes of the host's memory that some work uses.
struct PendingUse {
  uint64_t work = 0;
  uint32_t stream = 0;
  HostUse use{};
  // Nobody else uses bytes of these pages but those of [whole.begin, whole.end): an allocation. Empty: nobody knows.
  struct {
    uint64_t begin = 0, end = 0;
  } whole{};
  bool told = false;  // the host has touched it, and its pages stay open
};

struct PageTouch {
  uint64_t work = 0, address = 0;
  uint32_t stream = 0;
  bool writes = false;
  bool is_signal = false;             // no mistake: the host polls, and may know now that the work has come so far
  std::array<uintptr_t, 16> stack{};  // a CallStack of `depth` addresses: a signal handler cannot make a vector
  size_t depth = 0;
};

// All of it belongs to the process, as the handler does. Every function but the handler is called under the runtime's
// lock.
void open_pages();   // while the runtime itself, or a device in this process, works on the memory
void close_pages();  // of all uses whose work has not ended
// Replaces an earlier use of the same bytes by the same stream: a wait for the later work is a wait for both.
void add_pending(const PendingUse& use);
void drop_pending(const std::function<bool(const PendingUse&)>& ended);
bool any_touches();
std::vector<PageTouch> take_touches();

}  // namespace lockstep::runtime
