// emulated_device: the device itself, in this process. Requests go in; the engine runs the kernels; statuses come out,
// and a report of what was counted and found.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/options.h"
#include "device/device.h"
#include "engine/other_words.h"
#include "report/launch_record.h"

namespace lockstep {

class EmulatedDevice : public Device {
 public:
  static std::unique_ptr<EmulatedDevice> create(const DeviceOptions& options);

  virtual AddressSpace address_space() const = 0;

  // Copies that no program sees or pays for. place() refuses memory that the program reads in place.
  virtual Outcome place(const Region& to, const void* from) = 0;
  virtual Outcome take(void* to, const Region& from) const = 0;
  virtual std::vector<Range> reached_by_host() const = 0;  // the allocations that the program reads in place
  // From now on kernels see other words in such allocations, until they see the program's own again.
  virtual void show(OtherWords words) = 0;
  virtual void show_own_words() = 0;
  virtual Crossing crossing() const = 0;  // all bytes so far that passed between the program and the device
  // The report; docs/lockstep.md describes its shape: {"launches":[…],"findings":[…],"end":…}.
  virtual std::string report_json(std::string_view end = "orderly") const = 0;
};

}  // namespace lockstep
