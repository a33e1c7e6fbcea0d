// fault: one error inside a kernel → a finding; the first error is also the result of the launch. access_fault makes
// the faults of accesses to memory.
#pragma once

#include <optional>
#include <string>

#include "base/findings.h"
#include "base/status.h"
#include "program/program.h"

namespace lockstep {

struct BadAccess;
struct LaunchState;

struct Fault {
  Status status = Status::kOk;
  const char* kind = "";  // as the report names it
  uint32_t lane = 0, pc = 0;
  std::string what, detail;     // detail: further lines, the last with the next step
  std::string element{};        // "s_tile[17]": of an access, if it has a name
  std::optional<Site> other{};  // a second thread that is part of the cause
};

// Ends the launch.
void fail(const Warp& warp, const Fault& fault);
// Ends the launch because of an interruption. That is nobody's mistake, and not a finding.
void fail_by_interruption(LaunchState& state);
// Ends the launch, or leaves out this lane's access (AfterBadAccess). array: as in BadAccess.
void fail_access(const Warp& warp, const MemoryAccess& access, const Fault& fault, uint64_t array);
// Whether an access went wrong in this way before. If so, its finding counts one more.
bool failed_before(const Warp& warp, const BadAccess& access);

}  // namespace lockstep
