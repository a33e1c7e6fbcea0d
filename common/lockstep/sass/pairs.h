// pairs: which instructions of the machine code belong to an access of the PTX. They have its line and its kind.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "program/program.h"
#include "sass/listing.h"

namespace lockstep {

using Machine = std::vector<const MachineAccess*>;

class Pairs {
 public:
  Pairs(const Program& program, const MachineKernel& machine);

  Machine of(const MemoryAccess& access) const;
  const Machine& at(uint32_t line) const;  // of the PTX: also other kinds of accesses
  // Instructions that no access of the PTX asks for. For instance, ptxas makes one store of two to one place. This
  // store stands behind both, and has the line of some arithmetic.
  const Machine& elsewhere() const { return elsewhere_; }
  uint32_t line_of(const MemoryAccess& access) const { return program_.locations[access.pc].ptx_line; }

 private:
  const Program& program_;
  std::map<uint32_t, Machine> at_;
  Machine elsewhere_;
};

bool same_class(MemoryOp op, MachineAccess::Class kind);

// Each with its loops and its conditions.
std::multiset<std::pair<uint32_t, Conditions>> places_of(const Machine& machine);

}  // namespace lockstep
