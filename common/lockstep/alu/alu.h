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

Width width_of(Type type);  // of a register that holds it; kNone for kNone

struct AluChoice {
  AluHandler handler = nullptr;
  uint32_t modes = 0;
  bool dual_destination = false;  // setp p|q, d2 used if the statement has it
  Width d = Width::kNone;
  std::array<Width, 4> sources{};  // a, b, c, e in the order PTX writes them
  // Immediate sources: the bits to put in every lane, for PTX literals of this operand's type (a double literal
  // in an .f32 instruction becomes a float, …).
  std::array<Type, 4> source_types{};
  // lop3 only: which source, counted as PTX writes them, is an immediate that went into modes. The others, in their
  // order, are a, b, c and e; -1 if none.
  int folded_source = -1;
};

// Nothing if the instruction is not an arithmetic one or has a modifier that is not supported. `register_widths`
// gives the widths of the statement's register operands in order (destination first), which cvt, mov and
// sub-word types need, since PTX allows registers wider than the instruction's type there; kNone for an operand
// that is no register. The caller compares the widths of all others with those in the answer.
std::optional<AluChoice> select_alu(const Statement& statement, const std::array<Width, 6>& register_widths);

}  // namespace lockstep
