// predicates: on which comparisons the guard of a machine instruction depends. ptxas joins predicates, and keeps them
// in registers when all seven are taken. A predicate is followed against the flow to all places that may have set it.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "sass/flow.h"
#include "sass/machine_instruction.h"

namespace lockstep {

class MachinePredicates {
 public:
  // Keeps a reference to `code`. flow: its successors and roots are known.
  MachinePredicates(const std::vector<MachineInstruction>& code, const Flow& flow);
  // What the guard of the instruction asks, and its predicates if it jumps.
  Asked asked(uint32_t at) const;
  // Whether its guard selects the first of the active lanes.
  bool is_elected(uint32_t at) const;

 private:
  enum class Writes : uint8_t { kNo, kMaybe, kYes };
  // A predicate of an instruction.
  struct At {
    uint32_t at;
    std::string_view name;
    auto operator<=>(const At&) const = default;
  };

  // The instructions that may be the last before `at` that writes; writes(instruction) → Writes. The number of
  // instructions: nobody has written on some way here.
  template <class Ask>
  std::vector<uint32_t> last_writers(uint32_t at, const Ask& writes) const;
  // The only one that writes the register; the number of instructions: there is none, or several.
  uint32_t writer(uint32_t at, std::string_view name) const;
  std::vector<uint32_t> different(std::vector<uint32_t> instructions) const;
  std::optional<At> taken_back(uint32_t at, std::string_view predicate) const;
  bool asks_bits(uint32_t at) const;
  bool is_election(uint32_t at) const;
  // visit(instruction) for each comparison on which the predicate depends before `at`; the number of instructions: not
  // found.
  template <class Visit>
  void for_each_comparison(uint32_t at, std::string_view predicate, const Visit& visit) const;
  uint32_t end() const { return static_cast<uint32_t>(code_.size()); }

  const std::vector<MachineInstruction>& code_;
  std::vector<std::vector<uint32_t>> before_;  // by instruction: its predecessors; end(): a function begins here
};

}  // namespace lockstep
