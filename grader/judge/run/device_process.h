// device_process: lockstep's device for one submission, in a process of its own (build/lockstep/device_server). The
// submission gets one end of a socket, the device the other. The counters and findings come to the judge from this
// process alone, and the submission can only ask it for what CUDA offers. docs/lockstep.md lists the data that each
// process can touch.
#pragma once

#include "grader/judge/base/failure.h"
#include "grader/judge/run/surroundings.h"

namespace warpladder {

class DeviceProcess {
 public:
  DeviceProcess(const SubmissionSpec& spec, int vault);  // vault: the descriptor of the file (vault.h)

  // The submission's end of the socket. Close it here once the submission has it, so that the device sees when the
  // submission is gone.
  Fd take_end() { return std::move(end_); }

  // Call it once the submission's process is gone. The device then ends the kernel that still runs and writes its
  // report. It may work for so many seconds; after that it is killed, and there is no report. It is a failure if the
  // submission sent something that no CUDA program sends. Throws JudgeFault if the device crashed.
  std::optional<Failure> finish(double seconds);
  const Child& child() const { return *child_; }
  std::string report() const;  // after finish(); "" if there is none

 private:
  TemporaryFolder folder_;
  double cpu_seconds_;
  Fd end_;
  std::optional<Child> child_;
};

}  // namespace warpladder
