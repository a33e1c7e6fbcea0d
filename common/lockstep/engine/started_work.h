// started_work: what kernels start by themselves: grids, copies and fills. The engine notes it, and device runs it when
// the grid that started it has ended.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/dim3.h"
#include "base/findings.h"
#include "base/status.h"

namespace lockstep {

// The line of a kernel that starts a grid. No kernel: the host does.
struct Launcher {
  std::string kernel{}, file{};
  uint32_t line = 0;
  auto operator<=>(const Launcher&) const = default;
};

struct StartedWork {
  enum Kind : uint8_t { kGrid, kCopy, kFill } kind = kGrid;
  bool tail = false;   // in the stream cudaStreamTailLaunch
  uint32_t depth = 0;  // levels below the grid that the host launched
  Launcher launcher{};
  // A grid.
  uint64_t function = 0;  // the kernel's address
  Dim3 grid{}, block{};
  uint64_t shared_bytes = 0;
  std::vector<std::byte> params{};
  // A copy or a fill.
  uint64_t to = 0, from = 0, bytes = 0;
  uint8_t value = 0;
};

// What kernels ask the device for.
class ChildLaunches {
 public:
  virtual ~ChildLaunches() = default;
  // Whether the card would launch this grid. Gives the bytes of the kernel's parameters.
  virtual Outcome check(const StartedWork& grid, uint64_t* param_bytes) = 0;
  virtual void failed(const StartedWork& grid, const Site& at, const std::string& message) = 0;
  virtual uint64_t text(const std::string& text) = 0;  // its address in device memory
};

}  // namespace lockstep
