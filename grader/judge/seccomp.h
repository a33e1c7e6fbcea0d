// seccomp: the calls of the kernel that a process of somebody else's code is refused, as a program for the kernel.
#pragma once

#include <cstdint>
#include <string>

namespace warpladder {

struct Permissions {
  bool processes = false;      // fork: a compiler is a driver of others; a lab's program is one process
  bool shared_memory = false;  // of its own, which no limit of a process counts: a card's driver makes some
  bool local_sockets = false;  // a card's driver talks to its services
  bool signals = true;         // to others: harmless where there are no others to be seen
};

// Stands in a filter for the number of the process that it will be set in.
inline constexpr uint32_t kOwnProcess = 0x7FFFFFFE;

// In the kernel's binary form, one struct sock_filter after the other. "": this judge was built without libseccomp.
std::string filter_for(const Permissions& permissions);

}  // namespace warpladder
