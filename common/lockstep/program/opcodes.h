// opcodes: every PTX opcode that lockstep knows, one line each: the role of its operands, the kind of instruction that
// it becomes, whether a warp waits there, which function decodes it, and its cost. An opcode without a line here is
// refused by name. Left out: the arithmetic by type, which is in alu_table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "program/decoders.h"
#include "program/instruction.h"
#include "program/instruction_cost.h"

namespace lockstep {

// How the instruction uses the registers among its operands. An address is always read.
enum class Operands : uint8_t {
  kResultFirst,  // the first (of d|p the first two) is written, the others are read
  kAllRead,
  kStore  // all are read; registers outside the address are only copied
};

// Classes of instructions. The instructions of a class cost the same, type by type. kFree: another name of a register
// or of a constant, which ptxas puts into the instruction that reads it. ptxas joins shifts, sums and logic in pairs
// (dependence.h).
// clang-format off
enum class Cost : uint8_t {
  kFree, kAccess, kControl, kShuffle, kVote, kSpecial, kConvert, kBitCount, kMultiply, kDivide,
  kSimple, kShift, kSum, kLogic
};
// clang-format on

struct Opcode {
  std::string_view name;  // an opcode, or an opcode with its first modifiers: "bar", "bar.warp"
  Operands operands;
  Kind kind;   // of the instruction that it becomes
  bool waits;  // nothing moves across it
  Decode* decode;
  Cost cost;
};

std::span<const Opcode> opcodes();
// The line of an instruction such as "bar.warp.sync": the longest name with which it begins. Null if lockstep does not
// know it.
const Opcode* find_opcode(std::string_view instruction);
// The cost of an instruction such as "rem.s32"; no cost if lockstep does not know the instruction.
InstructionCost cost_of(std::string_view instruction);

}  // namespace lockstep
