// host_side: how the program's host code uses the device. Requests go in. Out come counts (waits, allocations), and
// findings: launches that failed, errors that the program did not read, wrong frees, leaks, accesses of the host's own
// code to device memory, a call that was made to fail. The program may tell the source lines of its calls, which are
// for messages alone.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/findings.h"
#include "base/options.h"
#include "device/requests.h"
#include "engine/memory.h"
#include "report/launch_record.h"

namespace lockstep {

class HostSide {
 public:
  HostSide(const DeviceOptions& options, const Memory& memory, Findings& findings)
      : checks_(options.checks), failure_(options.failure), memory_(memory), findings_(findings) {}

  void allocated(uint64_t address, uint64_t bytes, MemoryKind kind);
  // True: the host had this allocation, and no longer has it. False: it had none, and a finding may be added.
  bool frees(uint64_t address, bool pinned);

  // Bytes that pass between host and device: by a copy, or otherwise.
  void fetches(uint64_t bytes) { calls_.fetched += bytes, crossing_.to_host += bytes; }
  void gives(uint64_t bytes) { calls_.given += bytes, crossing_.from_host += bytes; }
  void tells(uint64_t to_host, uint64_t from_host) { crossing_.to_host += to_host, crossing_.from_host += from_host; }
  const Crossing& crossing() const { return crossing_; }  // of the whole program

  void waits() { calls_.synchronisations += launches_ > 0; }
  const HostCalls& calls() const { return calls_; }  // since the last launch
  uint64_t launches() const { return launches_; }    // launches that began
  void launched();
  void launch_failed(const std::string& kernel, const LaunchRequest& request, const std::string& message);
  void reads_error() { unread_launch_.clear(); }

  bool call_fails(std::string_view function);
  // With a planned failure: the names of the calls that it counts, in their order. It is one of them.
  const std::vector<std::string>& counted_calls() const { return counted_calls_; }
  // What the program says of calls that failed, with the next step, and with marks (base/words.h).
  const std::vector<std::string>& failed_calls() const { return failed_calls_; }
  // Calls of NVIDIA's libraries that were computed on the host, by library. The program tells of them.
  const std::map<std::string, uint64_t>& library_calls() const { return library_calls_; }
  void tell_place(CallKind call, uint64_t address, std::string_view place);
  void kernel_failed(size_t finding) { fault_ = finding; }  // with this finding
  void start_profiling() { profiled_ = true; }

  // The program ends, or resets the device. heap: the bytes of each allocation that a kernel made and did not free.
  void ends(const std::vector<uint64_t>& heap);

 private:
  struct Allocation {
    uint64_t bytes;
    MemoryKind kind;
    std::string place{};  // where the program made it; empty: not known
  };
  size_t add(const char* kind, const std::string& kernel, const std::string& message);
  void note_bad_free(uint64_t address);
  void note_access(uint64_t address, bool writes, const std::string& at);
  void note_leaks(const std::vector<uint64_t>& heap);

  const Checks checks_;
  const PlannedFailure failure_;
  const Memory& memory_;
  Findings& findings_;
  std::map<uint64_t, Allocation> allocations_;  // by address
  uint64_t launches_ = 0;
  HostCalls calls_;
  Crossing crossing_;
  std::string unread_launch_;  // the kernel whose launch failed, while the program has not read the error; else empty
  std::optional<size_t> failed_launch_;  // its finding, until its place is told
  std::string launch_place_;             // the line of that launch, if it is known
  bool profiled_ = false;
  uint64_t counted_ = 0;  // calls so far; the planned failure is one of them
  std::vector<std::string> counted_calls_, failed_calls_;
  std::map<std::string, uint64_t> library_calls_;
  bool failure_stays_ = false;      // the planned failure is repeated by every later call
  std::optional<size_t> injected_;  // the planned failure's finding, until its place is told
  std::optional<size_t> fault_;     // the finding of the kernel that failed
  uint64_t lost_launches_ = 0;      // after it
};

}  // namespace lockstep
