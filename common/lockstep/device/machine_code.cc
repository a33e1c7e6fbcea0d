#include "device/machine_code.h"

#include <algorithm>

namespace lockstep {
namespace {

// "-G": ".target sm_75, debug". The driver compiles such PTX without optimising, and lockstep has no rules for that.
bool is_for_debugger(std::string_view ptx) {
  const size_t target = std::min(ptx.find(".target"), ptx.size());
  return ptx.substr(target, ptx.find('\n', target) - target).find("debug") != ptx.npos;
}

}  // namespace

void MachineCode::loads(const LoadedModule* module, const std::vector<std::string_view>& ptx) {
  Asked& asked = modules_[module];
  if (ptx.size() != 1 || is_for_debugger(ptx[0])) return;
  const bool is_large = ptx[0].size() > kLargeModule;
  const Tools tools = is_large ? Tools{tools_.folder} : tools_;
  asked.whole = std::make_unique<Question>(tools, ptx[0], "");
  if (!is_large || asked.whole->answer()) return;
  asked.whole.reset();
  asked.ptx = ptx[0];
}

void MachineCode::starts(const LoadedKernel& kernel) {
  Asked& asked = modules_[kernel.module];
  if (asked.ptx.empty() || asked.kernels.contains(kernel.program.get())) return;
  asked.kernels[kernel.program.get()] = std::make_unique<Question>(tools_, asked.ptx, kernel.info.name);
}

Question* MachineCode::question(Asked& asked, const LoadedKernel& kernel) const {
  if (asked.whole) return asked.whole.get();
  const auto found = asked.kernels.find(kernel.program.get());
  return found == asked.kernels.end() ? nullptr : found->second.get();
}

const Forms& MachineCode::forms(const LoadedKernel& kernel) {
  Asked& asked = modules_[kernel.module];
  if (const auto known = asked.forms.find(kernel.program.get()); known != asked.forms.end()) return known->second;
  Question* const asking = question(asked, kernel);
  const Question::Answer* const answer = asking ? asking->answer() : nullptr;
  const bool found = answer && answer->contains(kernel.info.name);
  return asked.forms[kernel.program.get()] =
             found ? compare(*kernel.program, answer->find(kernel.info.name)->second) : judge_alone(*kernel.program);
}

void MachineCode::forget(const LoadedModule* module) { modules_.erase(module); }

}  // namespace lockstep
