// function_code: one function of a Program: its entry, its frame, and the values that its calls pass.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "alu/alu.h"
#include "program/instruction.h"

namespace lockstep {

// A register that is written before the kernel's first instruction (kLocalAddress: at each call).
struct Preset {
  enum Source : uint8_t { kBits, kSpecial, kLocalAddress } source = kBits;
  Width width = Width::k32;
  uint32_t offset = 0;
  uint64_t bits = 0;  // the value; the Special; the offset into the function's local variables
};

struct ParamSlot {  // in the lane's parameter area of a frame
  uint32_t offset = 0, bytes = 0;
};

enum class Builtin : uint8_t { kNone, kPrintf, kAssertFail, kMalloc, kFree };

struct CallSite {
  uint32_t function = kNowhere;  // index into Program::functions
  Builtin builtin = Builtin::kNone;
  uint32_t target = 0;                        // register with the function's address, if it is neither
  std::vector<ParamSlot> arguments, results;  // in the caller's frame
};

struct FunctionCode {
  std::string name;
  uint32_t entry = 0;           // first instruction
  uint32_t register_bytes = 0;  // the size of one frame's registers
  uint32_t param_bytes = 0;     // for one lane in one frame: formal parameters, results, and call arguments
  uint64_t local_bytes = 0;     // for one lane
  std::vector<ParamSlot> params, results;
  std::vector<Preset> presets;
};

}  // namespace lockstep
