#include "grader/judge/run/device_process.h"

#include <cerrno>
#include <csignal>

#include <sys/socket.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/sandbox/seccomp.h"

namespace warpladder {
namespace {

constexpr int kSocketFd = 3, kVaultFd = 4;      // in the device's process
constexpr const char* kMemory = "4G";           // device memory
constexpr const char* kReport = "report.json";  // in the temporary folder
constexpr const char* kViolation = "protocol violation: ";

}  // namespace

DeviceProcess::DeviceProcess(const SubmissionSpec& spec, int vault) : cpu_seconds_(spec.cpu_seconds) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw JudgeFault(
        message("no socket for the emulated device: {reason}", {{"reason", std::string(std::strerror(errno))}}));
  end_ = Fd(ends[0]);
  const Fd other(ends[1]);
  ChildSpec child;
  child.command = {spec.device.lockstep / "device_server", std::to_string(kSocketFd), std::to_string(kVaultFd)};
  // Every option is set here, so that none of the judge's own environment reaches the device.
  child.environment = {
      {"LOCKSTEP_REPORT", folder_.path() / kReport},
      {"LOCKSTEP_COUNTERS", spec.counted ? "all" : "none"},
      {"LOCKSTEP_MEMORY", kMemory},
      // Wrong code may depend on the order of the blocks, and a verdict must not. Other judges may run as well.
      {"LOCKSTEP_THREADS", "1"},
      {"LOCKSTEP_SCHEDULE", spec.schedule.empty() ? "forward" : spec.schedule},
      {"LOCKSTEP_CHECKS", spec.checked ? "all" : "none"},
      {"LOCKSTEP_TRACE", spec.trace},
      {"LOCKSTEP_SASS", spec.machine_code.empty() ? "none" : spec.machine_code.string()},
      {"LOCKSTEP_PTXAS", ""},  // it may not start them
      {"LOCKSTEP_NVDISASM", ""},
      {"LOCKSTEP_FAIL", spec.failing_call == 0 ? "" : "profiled:" + std::to_string(spec.failing_call)}};
  child.descriptors = {{other.get(), kSocketFd}, {vault, kVaultFd}};
  child.limits = {.cpu_seconds = static_cast<uint64_t>(spec.cpu_seconds), .data_bytes = kDataLimit};
  // It interprets foreign code, so it gets a filter. It makes the memory that it shares with the submission.
  child.filter = filter_for({.processes = false, .shared_memory = true, .local_sockets = false});
  child_.emplace(child);
}

std::optional<Failure> DeviceProcess::finish(double seconds) {
  end_.reset();
  switch (child_->wait(seconds)) {
    case Child::Event::kEnded: break;
    case Child::Event::kTimeout: return std::nullopt;  // the report only explains the failure that is there
    default:
      throw JudgeFault(message("the emulated device prints without end: {errors}", {{"errors", child_->errors()}}));
  }
  if (child_->ended_well()) return std::nullopt;
  const std::string errors = child_->errors();
  if (child_->gave_up() && errors.starts_with(kViolation))
    return make_failure(
        Verdict::kCheating, "device.protocol",
        message("the program sent the emulated device what CUDA's runtime never sends: {what}",
                {{"what", errors.substr(std::strlen(kViolation), errors.find('\n') - std::strlen(kViolation))}}),
        message("Use the device by CUDA's functions alone."));
  if (child_->ending_signal() == SIGXCPU)
    return time_failure(message("the limit of {time} of CPU time is used up", {{"time", seconds_text(cpu_seconds_)}}));
  throw JudgeFault(
      message("the emulated device {how}\n{errors}", {{"how", child_->how_it_ended()}, {"errors", errors}}));
}

std::string DeviceProcess::report() const { return read_file(folder_.path() / kReport); }

}  // namespace warpladder
