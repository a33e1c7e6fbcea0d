// in_place: shows the other input (other_input.h) to kernels in memory that the program writes in place. The program
// finds its own words there, also while a kernel runs.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "device/emulated_device.h"
#include "device/other_input.h"

namespace lockstep {

class InPlace {
 public:
  InPlace(EmulatedDevice& device, OtherInput& input) : device_(device) {
    for (const Range& range : device.reached_by_host()) {
      const auto* const begin = reinterpret_cast<const std::byte*>(range.begin);
      std::vector<std::byte> own(begin, begin + (range.end - range.begin)), other = own;
      input.replace(other);
      device.show({range, std::move(own), std::move(other)});
    }
  }
  ~InPlace() { device_.show_own_words(); }
  InPlace(const InPlace&) = delete;
  InPlace& operator=(const InPlace&) = delete;

 private:
  EmulatedDevice& device_;
};

}  // namespace lockstep
