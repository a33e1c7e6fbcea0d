// seccomp: the system calls that foreign code is refused, as a filter program for the kernel.
#pragma once

#include <cstdint>
#include <string>

namespace warpladder {

struct Permissions {
  bool processes = false;      // may fork: a compiler starts other programs; a lab's program is one process
  bool shared_memory = false;  // may make some, which no limit of a process counts: a card's driver does
  bool local_sockets = false;  // may open some: a card's driver talks to its services
  bool signals = true;         // may send them to other processes: harmless where it sees no others
};

// In a filter, this number stands for the process in which the filter will be set.
inline constexpr uint32_t kOwnProcess = 0x7FFFFFFE;

// The filter in the kernel's binary form, one struct sock_filter after the other. "": this judge was built without
// libseccomp, or the kernel takes no filters, as qemu when it runs programs of another processor.
std::string filter_for(const Permissions& permissions);

}  // namespace warpladder
