// device_process: lockstep's card for one submission, in a process of its own (build/lockstep/device_server), at the
// other end of a socket whose one end the submission gets. What is counted and found there comes to the judge from it
// alone; all that the submission can do is to ask for what CUDA offers. docs/lockstep.md says who can touch what.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "grader/judge/child.h"
#include "grader/judge/verdict.h"

namespace warpladder {

struct DeviceProcessSpec {
  std::filesystem::path program;
  std::vector<std::pair<std::string, std::string>> options;  // LOCKSTEP_…, but for where the report goes
  Limits limits;
};

class DeviceProcess {
 public:
  explicit DeviceProcess(const DeviceProcessSpec& spec);

  // For the submission's process; ours is to be closed once it has it, so that its end is seen.
  Fd take_end() { return std::move(end_); }

  // Once the submission's process is gone: waits for the device to end as well, but not for longer. A failure if the
  // submission spoke to it as no CUDA program does. Throws JudgeFault if it crashed.
  std::optional<Failure> finish(double seconds);
  std::string report() const;  // after finish(); "" if there is none

 private:
  TemporaryFolder folder_;
  double cpu_seconds_;
  Fd end_;
  std::optional<Child> child_;
};

}  // namespace warpladder
