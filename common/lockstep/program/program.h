// program: a kernel and all that it can call, as one flat array of decoded instructions. Plain data: decode_program
// makes it, engine runs it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "program/async_use.h"
#include "program/collective.h"
#include "program/function_code.h"
#include "program/instruction.h"
#include "program/instruction_cost.h"
#include "program/memory_access.h"
#include "ptx/module.h"

namespace lockstep {

// The windows of the generic address space. No address of a process can lie there.
inline constexpr uint64_t kSharedWindow = 0x7100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x7200'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x7300'0000'0000'0000;  // "addresses" of device functions
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;
inline constexpr uint64_t kParamBytes = 32 << 10;  // of a kernel's parameters: PTX allows 32,764; rounded up
inline constexpr uint32_t kSharedBase = 1024;      // the system owns the first KiB of shared memory since sm_80

// The lists that Instruction::index points into, by kind.
struct InstructionLists {
  std::vector<MemoryAccess> accesses;
  std::vector<CallSite> calls;
  std::vector<BarrierUse> barriers;
  std::vector<Collective> collectives;
  std::vector<AsyncUse> async;
  std::vector<MbarrierUse> mbarriers;
  std::vector<std::vector<uint32_t>> tables;  // targets of brx.idx
};

// The first thing that is not supported.
struct Refusal {
  std::string message;  // empty if all is supported
  std::string instruction;
  SourceLocation location;
};

struct Program : InstructionLists {
  std::vector<Instruction> code;
  std::vector<SourceLocation> locations;  // parallel to code
  std::vector<std::string> names;         // parallel to code: the names of the instructions, for diagnoses
  std::vector<InstructionCost> costs;     // parallel to code
  std::vector<FunctionCode> functions;    // [0] is the entry
  std::vector<uint64_t> function_ids;     // parallel to functions: id within the device, for indirect calls
  uint32_t static_shared_bytes = 0;
  uint64_t local_bytes = 0;         // of one thread, without calls of unknown depth
  bool calls_unknown = false;       // indirect or recursive: local memory needs a real stack
  bool blocks_independent = false;  // see independence.h
  Refusal refusal;
  std::vector<std::pair<std::string, std::pair<uint32_t, uint32_t>>> shared_arrays;  // name, offset, bytes
};

}  // namespace lockstep
