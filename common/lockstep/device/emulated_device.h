// emulated_device: the device itself, in this process. Requests go in; the engine runs the kernels; statuses come out,
// and a report of what was counted and found.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/options.h"
#include "device/device.h"

namespace lockstep {

class EmulatedDevice : public Device {
 public:
  static std::unique_ptr<EmulatedDevice> create(const DeviceOptions& options);

  virtual AddressSpace address_space() const = 0;
  // The report; docs/lockstep.md describes its shape: {"launches":[…],"findings":[…],"end":…}.
  virtual std::string report_json(std::string_view end = "orderly") const = 0;
};

}  // namespace lockstep
