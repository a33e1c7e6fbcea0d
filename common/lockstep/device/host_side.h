// host_side: what the program's host code does with the device, counted, and the findings about it: launches that
// failed, errors nobody read, wrong frees, leaks, a call that was made to fail. In: requests as they come to the
// device.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "device/device.h"
#include "engine/memory.h"
#include "report/report.h"

namespace lockstep {

class HostSide {
 public:
  HostSide(const DeviceOptions& options, const Memory& memory, Findings& findings)
      : checks_(options.checks), failure_(options.failure), memory_(memory), findings_(findings) {}

  void allocated(uint64_t address, uint64_t bytes, MemoryKind kind);
  // False, and perhaps a finding: the host has no such allocation to free. Else it has no more.
  bool frees(uint64_t address, bool pinned);

  void waits() { calls_.synchronisations += launched_; }
  const HostCalls& calls() const { return calls_; }  // since the launch before
  void launched();
  void launch_failed(const std::string& kernel, const LaunchRequest& request, const std::string& message);
  void reads_error() { unread_launch_.clear(); }

  bool call_fails(std::string_view function);
  void start_profiling() { profiled_ = true; }

  // Ends, or begins anew. lost: nothing can be freed any more. heap: bytes of each allocation of kernels' own.
  void ends(bool lost, const std::vector<uint64_t>& heap);

 private:
  struct Allocation {
    uint64_t bytes;
    MemoryKind kind;
  };
  void add(const char* kind, const std::string& kernel, const std::string& message);
  void note_bad_free(uint64_t address);

  const Checks checks_;
  const PlannedFailure failure_;
  const Memory& memory_;
  Findings& findings_;
  std::map<uint64_t, Allocation> allocations_;  // by address
  bool launched_ = false;                       // HostCalls are counted from the first launch on
  HostCalls calls_;
  std::string unread_launch_;  // the kernel whose launch failed without the program having looked; else empty
  bool profiled_ = false;
  uint64_t counted_ = 0;  // calls of which one is to fail
};

}  // namespace lockstep
