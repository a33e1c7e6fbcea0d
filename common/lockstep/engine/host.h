// host: the program that uses the device: what the engine asks about it while a kernel runs.
#pragma once

#include <cstdint>

namespace lockstep {

class Host {
 public:
  virtual ~Host() = default;
  virtual bool holds(uint64_t address) const = 0;  // the program has memory of its own there
  // Beside the thread that launches; they may write to memory that a kernel reads.
  virtual bool has_other_threads() const = 0;
  static const Host& local();  // for a device in the program's own process
};

}  // namespace lockstep
