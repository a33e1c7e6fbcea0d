// kernels: the kernels of loaded modules, each decoded to a Program when it is first asked for, and the launches
// that a card refuses (launch_limits.cc). Runs none of them.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "device/modules.h"
#include "device/requests.h"
#include "program/program.h"

namespace lockstep {

struct LoadedKernel {
  const LoadedModule* module = nullptr;
  std::unique_ptr<Program> program;
  FunctionInfo info;
  std::string name;                 // as Nsight Compute shows it: "reduce<256u>"
  uint64_t max_dynamic_shared = 0;  // bytes that a launch may ask for
};

class Kernels {
 public:
  // param_block: the address at which a launch puts the kernel's parameters.
  Kernels(const DeviceLimits& limits, uint64_t param_block) : limits_(limits), param_block_(param_block) {}

  Outcome find(LoadedModule& module, std::string_view name, FunctionInfo* info);
  LoadedKernel* find(FunctionId id) const { return id < kernels_.size() ? kernels_[id].get() : nullptr; }
  void forget(const LoadedModule& module);  // the module is going to be unloaded

 private:
  Symbols symbols(const LoadedModule& loaded) const;
  FunctionInfo describe(const LoadedKernel& kernel, const Function& entry) const;

  const DeviceLimits& limits_;
  const uint64_t param_block_;
  std::vector<std::unique_ptr<LoadedKernel>> kernels_;  // by FunctionId; null after its module was unloaded
};

// Blocks of this shape that one multiprocessor holds at once. registers: of a thread; 0: not known.
uint32_t blocks_per_sm(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t registers, uint32_t threads,
                       uint64_t dynamic_shared_bytes);

// Whether the kernel's registers may decide if a card launches this.
bool registers_decide(const DeviceLimits& limits, const LoadedKernel& kernel, const LaunchRequest& request);

// kOk, and the number of blocks that the card holds at once; else the first thing that is wrong.
Outcome check_launch(const DeviceLimits& limits, const LoadedKernel& kernel, uint32_t registers,
                     const LaunchRequest& request, uint64_t* resident);

}  // namespace lockstep
