// host: the program that uses the device: what the engine asks about it while a kernel runs.
#pragma once

#include <cstdint>

#include "base/findings.h"

namespace lockstep {

class Host {
 public:
  virtual ~Host() = default;
  virtual bool holds(uint64_t address) const = 0;  // the program has memory of its own there
  // Beside the thread that launches; they may write to memory that a kernel reads.
  virtual bool has_other_threads() const = 0;
  // The source line of a call that the program made, or of a place in its code (Task::call). No line: the program was
  // built without host lines.
  virtual Site call_line(uint64_t call) const = 0;
  static const Host& local();  // for a device in the program's own process

  using CallLines = Site (*)(uint64_t call);
  static void set_call_lines(CallLines lines);  // how local() finds the line of a call; the runtime knows
};

}  // namespace lockstep
