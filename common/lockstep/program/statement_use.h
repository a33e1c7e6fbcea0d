// statement_use: the registers that a statement of PTX reads and writes, by their names.
#pragma once

#include <algorithm>
#include <string>

#include "program/opcodes.h"
#include "ptx/module.h"

namespace lockstep {

inline size_t destinations(const Statement& s) {
  const Opcode* opcode = find_opcode(s.full_name());
  if (!opcode || opcode->operands != Operands::kResultFirst) return 0;
  return s.dual_destination ? 2 : 1;
}

// visit(name) for each register that the statement reads, its guard among them.
template <class Visit>
void for_each_read(const Statement& s, const Visit& visit) {
  const size_t written = destinations(s);
  for (size_t i = 0; i < s.operands.size(); ++i)
    if (i >= written || s.operands[i].kind == Operand::kAddress)
      for_each_name(s.operands[i], Operand::kRegister, visit);
  if (!s.guard.empty()) visit(s.guard);
}

template <class Visit>
void for_each_written(const Statement& s, const Visit& visit) {
  for (size_t i = 0; i < std::min(destinations(s), s.operands.size()); ++i)
    if (s.operands[i].kind != Operand::kAddress) for_each_name(s.operands[i], Operand::kRegister, visit);
}

}  // namespace lockstep
