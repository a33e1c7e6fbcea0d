#include "grader/judge/run/device_process.h"

#include <cerrno>
#include <csignal>
#include <cstring>

#include <sys/socket.h>

#include "grader/judge/base/failure.h"
#include "grader/judge/run/process_failure.h"
#include "grader/judge/sandbox/seccomp.h"

namespace warpladder {
namespace {

constexpr int kSocketFd = 3;                    // in the device's process
constexpr const char* kReport = "report.json";  // in the temporary folder
constexpr const char* kViolation = "protocol violation: ";

}  // namespace

DeviceProcess::DeviceProcess(const std::filesystem::path& program, Environment environment, const Limits& limits)
    : cpu_seconds_(static_cast<double>(limits.cpu_seconds)) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw JudgeFault("no socket for the emulated device: " + std::string(std::strerror(errno)));
  end_ = Fd(ends[0]);
  const Fd other(ends[1]);
  ChildSpec child;
  child.command = {program.string(), std::to_string(kSocketFd)};
  child.environment = std::move(environment);
  child.environment.emplace_back("LOCKSTEP_REPORT", folder_.path() / kReport);
  child.descriptors = {{other.get(), kSocketFd}};
  child.limits = limits;
  // It interprets foreign code, so it gets a filter. It makes the memory that it shares with the submission.
  child.filter = filter_for({.processes = false, .shared_memory = true, .local_sockets = false});
  child_.emplace(child);
}

std::optional<Failure> DeviceProcess::finish(double seconds) {
  end_.reset();
  switch (child_->wait(seconds)) {
    case Child::Event::kEnded: break;
    case Child::Event::kTimeout: return std::nullopt;  // a kernel still ran when its program was gone
    default: throw JudgeFault("the emulated device prints without end: " + child_->errors());
  }
  if (child_->ended_well()) return std::nullopt;
  const std::string errors = child_->errors();
  if (child_->gave_up() && errors.starts_with(kViolation))
    return make_failure(Verdict::kCheating, "device.protocol",
                        "the program sent the emulated device what CUDA's runtime never sends: " +
                            errors.substr(std::strlen(kViolation), errors.find('\n') - std::strlen(kViolation)),
                        "Use the device by CUDA's functions alone.");
  if (child_->ending_signal() == SIGXCPU)
    return time_failure("the limit of " + seconds_text(cpu_seconds_) + " of CPU time is used up");
  throw JudgeFault("the emulated device " + child_->how_it_ended() + "\n" + errors);
}

std::string DeviceProcess::report() const { return read_file(folder_.path() / kReport); }

}  // namespace warpladder
