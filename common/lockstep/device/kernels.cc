#include "device/kernels.h"

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "engine/access.h"
#include "program/decode_program.h"
#include "program/frame_layout.h"

namespace lockstep {
namespace {

// "void reduce<256u>(int*, int)" → "reduce<256u>".
std::string kernel_name(const std::string& symbol) {
  const std::string whole = demangled(symbol);
  if (whole == symbol) return symbol;
  int depth = 0;
  size_t begin = 0, end = whole.size();
  for (size_t i = 0; i < whole.size(); ++i) {
    if (whole[i] == '<') ++depth;
    if (whole[i] == '>') --depth;
    if (whole[i] == ' ' && depth == 0 && begin == 0) begin = i + 1;  // after the result type of a template
    if (whole[i] == '(' && depth == 0 && whole.compare(i, 21, "(anonymous namespace)") != 0) {
      end = i;
      break;
    }
  }
  if (begin > end || whole.compare(0, 5, "void ") != 0) begin = 0;
  return whole.substr(begin, end - begin);
}

}  // namespace

Outcome Kernels::find(LoadedModule& loaded, std::string_view name, FunctionInfo* info) {
  for (const auto& known : kernels_)
    if (known && known->module == &loaded && known->info.name == name) return *info = known->info, Outcome{};
  const auto entry = loaded.functions.find(std::string(name));
  if (entry == loaded.functions.end() || !entry->second->is_entry)
    return {Status::kInvalidDeviceFunction,
            with_next(words("the program's PTX has no kernel '{name}'", {{"name", std::string(name)}}),
                      words("rebuild it, every file with PTX; host code and PTX do not belong together."))};
  auto kernel = std::make_unique<LoadedKernel>();
  kernel->module = &loaded;
  try {
    kernel->program = decode_program(loaded.module, *entry->second, symbols(loaded));
  } catch (const PtxError& error) { return refused(error); }
  // No other function calls a kernel, so its statements are not decoded again. They take most of a large module's
  // memory.
  std::vector<Statement>().swap(entry->second->body);
  kernel->info = *info = describe(*kernel, *entry->second);
  kernel->name = kernel_name(info->name);
  kernel->max_dynamic_shared = limits_.shared_per_block - std::min(limits_.shared_per_block, info->static_shared_bytes);
  kernels_.push_back(std::move(kernel));
  return {};
}

void Kernels::forget(const LoadedModule& module) {
  for (auto& kernel : kernels_)
    if (kernel && kernel->module == &module) kernel.reset();
}

Symbols Kernels::symbols(const LoadedModule& loaded) const {
  Symbols symbols;
  symbols.variable_address = [&loaded](const std::string& name) {
    const auto found = loaded.globals.find(name);
    return found == loaded.globals.end() ? 0 : found->second.address;
  };
  symbols.function_id = [&loaded](const std::string& name) { return loaded.function_ids.at(name); };
  symbols.find_function = [&loaded](const std::string& name) -> const Function* {
    const auto found = loaded.functions.find(name);
    return found == loaded.functions.end() ? nullptr : found->second;
  };
  symbols.address_taken = [&loaded] { return loaded.address_taken; };
  symbols.access_handler = access_handler;
  symbols.param_block = param_block_;
  return symbols;
}

FunctionInfo Kernels::describe(const LoadedKernel& kernel, const Function& entry) const {
  const ParamLayout layout = lay_out(entry.params);
  FunctionInfo info;
  info.id = static_cast<FunctionId>(kernels_.size());
  info.name = entry.name;
  for (const ParamSlot& slot : layout.slots) info.params.push_back({slot.offset, slot.bytes});
  info.param_bytes = layout.bytes;
  info.static_shared_bytes = kernel.program->static_shared_bytes;
  info.local_bytes = static_cast<uint32_t>(kernel.program->local_bytes);
  info.registers = std::min<uint32_t>(255, kernel.program->functions[0].register_bytes / (4 * kWarpSize));
  info.max_threads_per_block = entry.max_threads ? entry.max_threads : limits_.max_threads_per_block;
  info.ptx_version = kernel.module->module.target;
  return info;
}

}  // namespace lockstep
