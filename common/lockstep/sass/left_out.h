// left_out: an access of the PTX for which the machine code has no instruction. In: the program and its pairs. Out:
// whether ptxas leaves the access out. Else an instruction that looks like that of another access may make it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "sass/makers.h"
#include "sass/pairs.h"
#include "sass/program_flow.h"

namespace lockstep {

class LeftOut {
 public:
  LeftOut(const Program& program, const FlowFacts& facts, const Pairs& pairs)
      : program_(program),
        facts_(facts),
        pairs_(pairs),
        function_(functions_of(program)),
        makers_(makers_of(program)) {}

  // Of an access without an instruction: why it may have one, in words. Empty: it has none.
  std::string doubt(const MemoryAccess& access) const;
  // Whether both are executed whenever one is.
  bool is_beside(const MemoryAccess& other, const MemoryAccess& access) const;

 private:
  bool is_in_wider(const MemoryAccess& access) const;
  bool has_twin(const MemoryAccess& access) const;
  bool has_same_value(uint32_t function, uint32_t one, uint32_t other, uint32_t steps) const;
  bool comes_before(uint32_t first, uint32_t second) const;
  bool may_have_line_of(const MemoryAccess& other, const MemoryAccess& gone) const;
  bool has_one_address(const MemoryAccess& access) const;

  const Program& program_;
  const FlowFacts& facts_;
  const Pairs& pairs_;
  const std::vector<uint32_t> function_;  // by instruction
  const Places makers_;
};

}  // namespace lockstep
