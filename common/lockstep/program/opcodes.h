// opcodes: every PTX opcode that lockstep knows, one line each: the role of its operands, the kind of instruction that
// it becomes, whether a warp waits there, which function decodes it, and its cost. An opcode without a line here is
// refused by name. Left out: the arithmetic by type, which is in alu_table.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "program/instruction.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

namespace lockstep {

class FunctionDecoder;
struct Opcode;

// Emits the instructions that a statement becomes. A decoder throws Unsupported for an instruction that lockstep does
// not know, and PtxError for a malformed one.
using Decode = void(FunctionDecoder& f, const Statement& s, const Opcode& opcode);

// decode_alu.cc: arithmetic, and the instructions that become arithmetic.
Decode decode_alu, decode_mov, decode_cvta, decode_isspacep, decode_createpolicy, decode_mapa, decode_getctarank;
// decode_memory.cc
Decode decode_load, decode_store, decode_atomic;
// decode_async.cc
Decode decode_async, decode_mbarrier;
// decode_matrix.cc
Decode decode_wmma, decode_mma, decode_ldmatrix, decode_stmatrix;
// decode_texture.cc
Decode decode_fetch, decode_gather, decode_texture_query, decode_surface_load, decode_surface_store;
// decode_control.cc: control flow, barriers, and instructions between the lanes of a warp. decode_plain: no operands.
Decode decode_plain, decode_branch, decode_indexed_branch, decode_call, decode_return, decode_barrier,
    decode_warp_barrier, decode_fence, decode_shuffle, decode_vote, decode_match, decode_redux, decode_elect,
    decode_activemask, decode_allocate;

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

// What a decoder throws for malformed PTX.
inline PtxError operand_is_missing(const Statement& s) {
  return {s.location.ptx_line, words("{instruction}: an operand is missing", {{"instruction", s.full_name()}})};
}
inline PtxError type_is_missing(const Statement& s, const std::string& instruction) {
  return {s.location.ptx_line, words("{instruction}: a type is missing", {{"instruction", instruction}})};
}

std::span<const Opcode> opcodes();
// The line of an instruction such as "bar.warp.sync": the longest name with which it begins. Null if lockstep does not
// know it.
const Opcode* find_opcode(std::string_view instruction);
// The cost of an instruction such as "rem.s32"; no cost if lockstep does not know the instruction.
InstructionCost cost_of(std::string_view instruction);

}  // namespace lockstep
