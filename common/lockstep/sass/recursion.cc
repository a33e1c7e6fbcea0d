#include "sass/recursion.h"

#include <algorithm>

#include "sass/makers.h"
#include "sass/program_flow.h"

namespace lockstep {
namespace {

using Functions = std::vector<uint32_t>;  // indices
constexpr uint32_t kKernel = 0;

}  // namespace

Recursion::Recursion(const Program& program, const FlowFacts& facts) : behind_(program.code.size() + 1, false) {
  const uint32_t end = facts.flow().end();
  const std::vector<uint32_t> function = functions_of(program);
  std::vector<Functions> callees(program.functions.size());
  for (uint32_t pc = 0; pc < end; ++pc)
    std::ranges::copy(callees_of(program, pc), std::back_inserter(callees[function[pc]]));
  std::vector<std::vector<bool>> calls;  // by function: whether it calls each function, perhaps through others
  for (const Functions& direct : callees) {
    std::vector<bool>& reached = calls.emplace_back(callees.size(), false);
    for (const uint32_t first : direct)
      spread(first, reached, [&](uint32_t at) -> const Functions& { return callees[at]; });
  }
  const auto is_recursive = [&](uint32_t f) { return calls[f][f]; };
  const auto leads_there = [&](uint32_t f) {
    for (uint32_t other = 0; other < calls.size(); ++other)
      if ((other == f || calls[f][other]) && is_recursive(other)) return true;
    return false;
  };
  for (uint32_t pc = 0; pc < end; ++pc) {
    const Kind kind = program.code[pc].kind;
    if (is_recursive(function[pc]) && (kind == Kind::kBranch || kind == Kind::kBranchIndexed)) branches_.push_back(pc);
    if (function[pc] != kKernel)
      behind_[pc] = true;
    else if (std::ranges::any_of(callees_of(program, pc), leads_there))
      spread(pc, behind_, [&](uint32_t at) { return at < end ? facts.flow().successors[at] : Functions(); });
  }
}

}  // namespace lockstep
