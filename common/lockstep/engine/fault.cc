#include "engine/fault.h"

#include "base/words.h"

#include "engine/launch_state.h"
#include "engine/warp.h"

namespace lockstep {
namespace {

std::string indented(const std::string& lines) {
  std::string result;
  for (const char c : "\n" + lines) result += c == '\n' ? std::string("\n  ") : std::string(1, c);
  return lines.empty() ? "" : result;
}

// Gives the index of the finding. access: "read", "write", "atomic", or empty.
size_t note(const Warp& warp, const Fault& fault, const char* access) {
  const SourceNames& names = warp.launch().names;
  LaunchState& state = warp.state();
  Finding finding;
  finding.kind = fault.kind;
  finding.kernel = names.kernel;
  finding.at = warp.site(fault.lane, fault.pc);
  finding.at.access = access;
  finding.other = fault.other;
  finding.where = fault.element;
  finding.message =
      fault.what + "\n  " +
      words("in kernel {kernel} at {place}", {{"kernel", names.kernel}, {"place", names.location(fault.pc)}}) + "\n  " +
      words("block {block}, thread {thread}",
            {{"block", text(finding.at.block)}, {"thread", text(finding.at.thread)}}) +
      indented(fault.detail);
  if (state.fault.ok()) state.fault = {fault.status, finding.message};
  return state.findings.add(std::move(finding));
}

}  // namespace

void fail(const Warp& warp, const Fault& fault) {
  if (warp.state().faulted) return;
  note(warp, fault, "");
  warp.state().faulted = true;
}

void fail_by_interruption(LaunchState& state) {
  if (state.fault.ok()) state.fault = {Status::kLaunchFailure, ""};
  state.faulted = true;
}

void fail_access(const Warp& warp, const MemoryAccess& access, const Fault& fault, uint64_t array) {
  LaunchState& state = warp.state();
  if (state.faulted) return;
  state.bad_accesses[{fault.kind, fault.pc, array}] = note(warp, fault, verb(access));
  state.faulted = warp.launch().after_bad_access == AfterBadAccess::kStop;
}

bool failed_before(const Warp& warp, const BadAccess& access) {
  LaunchState& state = warp.state();
  const auto found = state.bad_accesses.find(access);
  if (found == state.bad_accesses.end()) return false;
  state.findings.count_again(found->second);
  return true;
}

}  // namespace lockstep
