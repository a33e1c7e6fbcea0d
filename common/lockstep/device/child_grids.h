// child_grids: what kernels ask the device for that launch kernels: which kernel an address means, whether it can be
// launched, and texts in device memory. Keeps the order in which the work runs; emulated_device runs it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "base/options.h"
#include "device/device_memory.h"
#include "device/host_side.h"
#include "device/kernels.h"
#include "device/modules.h"
#include "engine/started_work.h"

namespace lockstep {

class ChildGrids : public ChildLaunches {
 public:
  ChildGrids(const DeviceOptions& options, const DeviceLimits& limits, DeviceMemory& memory, Modules& modules,
             Kernels& kernels, Findings& findings)
      : options_(options),
        limits_(limits),
        memory_(memory),
        modules_(modules),
        kernels_(kernels),
        findings_(findings) {}

  Outcome check(const StartedWork& grid, uint64_t* param_bytes) override;
  void failed(const StartedWork& grid, const Site& at, const std::string& message) override;
  uint64_t text(const std::string& text) override;

  // The request that launches the grid; a failure names what is wrong. It points to grid.params.
  Outcome request(const StartedWork& grid, LaunchRequest* request) const;

 private:
  const DeviceOptions& options_;
  const DeviceLimits& limits_;
  DeviceMemory& memory_;
  Modules& modules_;
  Kernels& kernels_;
  Findings& findings_;
  std::map<std::string, uint64_t> texts_;
};

// The work that waits, the next at the end. A grid's work runs before everything that waited already, so a grid is
// complete, with all that it has started, before the work behind it in its stream begins. Work of the tail stream comes
// last.
void put_in_front(std::vector<StartedWork>& waiting, std::vector<StartedWork> started);

}  // namespace lockstep
