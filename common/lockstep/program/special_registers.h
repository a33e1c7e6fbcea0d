// special_registers: PTX's special registers, their names and widths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "alu/alu.h"

namespace lockstep {

// Registers whose value stays the same come first. From kClock on, a register is read afresh each time. Through the
// grid workspace the blocks of a cooperative launch wait for each other; it is 0 for other launches.
// clang-format off
enum class Special : uint8_t {
  kTidX, kTidY, kTidZ, kNtidX, kNtidY, kNtidZ, kCtaidX, kCtaidY, kCtaidZ, kNctaidX, kNctaidY, kNctaidZ,
  kLaneId, kWarpId, kNWarpId, kSmId, kNSmId, kGridId,
  kLanemaskEq, kLanemaskLt, kLanemaskLe, kLanemaskGt, kLanemaskGe,
  kDynamicSharedBytes, kTotalSharedBytes, kZero, kOne, kGridWorkspaceHigh, kGridWorkspaceLow,
  kClock, kClock64, kGlobalTimer, kGlobalTimerLow, kGlobalTimerHigh, kActiveMask
};
// clang-format on

std::optional<Special> find_special(const std::string& name);
inline bool is_dynamic(Special special) { return special >= Special::kClock; }
Width special_width(Special special);

}  // namespace lockstep
