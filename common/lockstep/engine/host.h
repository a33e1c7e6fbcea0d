// host: the program that uses the device, as the device asks about it while a kernel runs.
#pragma once

#include <cstdint>

namespace lockstep {

class Host {
 public:
  virtual ~Host() = default;
  virtual bool holds(uint64_t address) const = 0;  // it has something of its own there
  virtual bool has_other_threads() const = 0;      // beside the one in the launch: they may write what a kernel reads
  static const Host& local();                      // the program, if the device lives in its process
};

}  // namespace lockstep
