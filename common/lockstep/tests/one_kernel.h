// one_kernel: runs one launch of the kernel `k` of a PTX text to its end, for tests that look at what it leaves.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "device/emulated_device.h"

namespace lockstep {

// request: without the function. The outcome is that of the launch and the wait for it; the test fails if there is no
// such kernel.
inline Outcome run_kernel(EmulatedDevice& device, const std::string& ptx, LaunchRequest request) {
  ModuleId module = 0;
  FunctionInfo k;
  Outcome outcome = device.load_module({ptx}, &module);
  if (outcome.ok()) outcome = device.find_function(module, "k", &k);
  EXPECT_TRUE(outcome.ok()) << outcome.message;
  if (!outcome.ok()) return outcome;
  request.function = k.id;
  outcome = device.launch(request);
  return outcome.ok() ? device.synchronise() : outcome;
}

}  // namespace lockstep
