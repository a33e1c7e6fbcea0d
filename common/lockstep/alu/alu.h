// alu: opcode and modifiers → the handler that computes it, and how wide its operands are. Arithmetic,
// comparison, selection, conversion, bit and lane-local move instructions; no memory, no control flow, nothing
// between lanes.
#pragma once

#include <array>
#include <optional>

#include "alu/operands.h"
#include "ptx/module.h"

namespace lockstep {

// Width of one operand's register.
enum class Width : uint8_t { kNone, kPred, k16, k32, k64, k128 };

Width width_of(Type type);  // the width of a register that holds the type; kNone for kNone

struct AluChoice {
  AluHandler handler = nullptr;
  uint32_t modes = 0;
  bool dual_destination = false;  // setp p|q: d2 is used if the statement has a second destination
  Width d = Width::kNone;
  std::array<Width, 4> sources{};  // a, b, c, e in the order PTX writes them
  // The type as which an immediate source is read: a double literal in an .f32 instruction becomes a float, …
  std::array<Type, 4> source_types{};
  // lop3 only: the number of the source that is an immediate and went into modes, in PTX's order; -1 if there is none.
  // a, b, c and e are the other sources, in their order.
  int folded_source = -1;
};

// Nothing if the instruction is not arithmetic, or has a modifier that is not supported. `register_widths`: the widths
// of the statement's operands, destination first; kNone for an operand that is not a register. cvt, mov and sub-word
// types need them, since PTX allows registers there that are wider than the instruction's type. The caller compares all
// other widths with the answer.
std::optional<AluChoice> select_alu(const Statement& statement, const std::array<Width, 6>& register_widths);

}  // namespace lockstep
