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
  if (ptx.size() == 1 && !is_for_debugger(ptx[0])) asked.ptx = ptx[0];
}

void MachineCode::ask(const LoadedModule* module) {
  Asked& asked = modules_[module];
  if (asked.ptx.empty() || asked.whole) return;
  asked.whole = std::make_unique<Question>(asked.is_large() ? Tools{tools_.folder} : tools_, asked.ptx, "");
}

Question* MachineCode::question(const LoadedKernel& kernel) {
  ask(kernel.module);
  Asked& asked = modules_[kernel.module];
  if (!asked.whole || !asked.is_large() || asked.whole->answer()) return asked.whole.get();
  std::unique_ptr<Question>& own = asked.kernels[kernel.program.get()];
  if (!own) own = std::make_unique<Question>(tools_, asked.ptx, kernel.info.name);
  return own.get();
}

const MachineKernel* MachineCode::answer(const LoadedKernel& kernel) {
  Question* const asked = question(kernel);
  const Question::Answer* const answer = asked ? asked->answer() : nullptr;
  const auto found = answer ? answer->find(kernel.info.name) : Question::Answer::const_iterator{};
  return answer && found != answer->end() ? &found->second : nullptr;
}

const Forms& MachineCode::forms(const LoadedKernel& kernel) {
  auto& known = modules_[kernel.module].forms;
  if (const auto found = known.find(kernel.program.get()); found != known.end()) return found->second;
  const MachineKernel* const machine = answer(kernel);
  return known[kernel.program.get()] = machine ? compare(*kernel.program, *machine) : judge_alone(*kernel.program);
}

uint32_t MachineCode::registers(const LoadedKernel& kernel) {
  const MachineKernel* const machine = answer(kernel);
  return machine ? machine->registers : 0;
}

}  // namespace lockstep
