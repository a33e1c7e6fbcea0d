// machine_uniform: a branch of the machine code → whether all lanes that come to it together go the same way, because
// only parameters, constants and the numbers of the block decide it. A register or a predicate is followed against the
// flow to all instructions that may have set it. Left out: values from memory.
#pragma once

#include <compare>
#include <map>
#include <string_view>
#include <vector>

#include "sass/flow.h"
#include "sass/machine_instruction.h"

namespace lockstep {

class MachineUniform {
 public:
  // Keeps references to both.
  MachineUniform(const std::vector<MachineInstruction>& code, const FlowFacts& facts) : code_(code), facts_(facts) {}
  bool branch(uint32_t at) const;

 private:
  // What a register or a predicate holds before an instruction; without a name: which way the instruction goes.
  struct Value {
    uint32_t at;
    std::string_view name;
    auto operator<=>(const Value&) const = default;
  };

  bool is_decided_by_parameters(uint32_t branch) const;
  bool add_sources(const Value& value, std::vector<Value>& found) const;
  bool add_operands(uint32_t at, std::vector<Value>& found) const;
  void add_branches(const Value& value, const std::vector<uint32_t>& writers, std::vector<Value>& found) const;
  std::vector<uint32_t> last_writers(const Value& value) const;
  uint32_t common_dominator(const Value& value, const std::vector<uint32_t>& writers) const;

  const std::vector<MachineInstruction>& code_;
  const FlowFacts& facts_;
  mutable std::map<uint32_t, bool> known_;  // the branches that were asked about
};

}  // namespace lockstep
