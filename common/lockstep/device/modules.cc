#include "device/modules.h"

#include <algorithm>
#include <utility>

#include "base/words.h"
#include "program/program.h"
#include "ptx/linker.h"
#include "ptx/parser.h"

namespace lockstep {
namespace {

// The functions whose address an instruction or an initialiser takes.
std::vector<const Function*> functions_with_address(const LoadedModule& loaded) {
  std::vector<const Function*> taken;
  const auto note = [&](const std::string& name) {
    const auto f = loaded.functions.find(name);
    if (f == loaded.functions.end() || f->second->is_extern || f->second->is_entry) return;
    if (std::find(taken.begin(), taken.end(), f->second) == taken.end()) taken.push_back(f->second);
  };
  for (const Function& f : loaded.module.functions)
    for (const Statement& s : f.body) {
      if (s.opcode() != "mov" && s.opcode() != "st" && s.opcode() != "cvta") continue;
      for (const Operand& operand : s.operands)
        if (operand.kind == Operand::kSymbol) note(operand.name);
    }
  for (const Variable& v : loaded.module.variables)
    for (const auto& r : v.relocations) note(r.symbol);
  return taken;
}

}  // namespace

Outcome refused(const PtxError& error) {
  return {Status::kInvalidPtx, with_next(error.what(), words("check the program's asm statements, which nvcc does not "
                                                             "read; if it has none, rebuild it with nvcc."))};
}

Steering Modules::steering() const {
  Steering all;
  for (const auto& [id, loaded] : modules_) {
    all.global |= loaded->steering.global;
    all.shared |= loaded->steering.shared;
    all.local |= loaded->steering.local;
  }
  return all;
}

Outcome Modules::load(const std::vector<std::string_view>& ptx, ModuleId* id) {
  auto loaded = std::make_unique<LoadedModule>();
  try {
    std::vector<Module> modules;
    for (const std::string_view text : ptx) modules.push_back(parse(text));
    loaded->module = link_modules(std::move(modules));
    for (Function& f : loaded->module.functions) loaded->functions[f.name] = &f;
    for (const auto& [name, f] : loaded->functions) loaded->function_ids[name] = next_function_id_++;
    allocate_variables(*loaded);
  } catch (const PtxError& error) { return refused(error); }
  loaded->address_taken = functions_with_address(*loaded);
  loaded->steering = steering_of(loaded->module);
  *id = next_module_++;
  modules_[*id] = std::move(loaded);
  return {};
}

void Modules::allocate_variables(LoadedModule& loaded) {
  for (const Variable& v : loaded.module.variables) {
    if ((v.space != Space::kGlobal && v.space != Space::kConst) || v.is_extern) continue;
    const uint64_t address = memory_.allocate_variable(v.bytes, v.managed);
    if (!address)
      throw PtxError(0, words("no device memory is left for the variable '{name}' of {size}",
                              {{"name", v.name}, {"size", byte_count(v.bytes)}}));
    loaded.globals[v.name] = {address, v.bytes};
  }
  for (const Variable& v : loaded.module.variables)
    if (loaded.globals.contains(v.name)) initialise(loaded, v);
}

void Modules::initialise(const LoadedModule& loaded, const Variable& v) {
  auto* const bytes = reinterpret_cast<uint8_t*>(loaded.globals.find(v.name)->second.address);
  std::copy_n(v.init.begin(), std::min<uint64_t>(v.init.size(), v.bytes), bytes);
  for (const auto& r : v.relocations) {
    uint64_t address = 0;
    if (const auto variable = loaded.globals.find(r.symbol); variable != loaded.globals.end())
      address = variable->second.address;
    else if (const auto f = loaded.function_ids.find(r.symbol); f != loaded.function_ids.end())
      address = kFunctionWindow + kFunctionAlignment * f->second;
    else
      throw PtxError(0, words("the initialiser of '{name}' names '{symbol}', which is not defined",
                              {{"name", v.name}, {"symbol", r.symbol}}));
    address += static_cast<uint64_t>(r.addend);
    for (uint32_t i = 0; i < r.bytes; ++i)
      bytes[r.offset + i] = static_cast<uint8_t>(address >> (8 * (i + r.byte_of_address)));
  }
}

void Modules::unload(ModuleId id) {
  const auto found = modules_.find(id);
  for (const auto& [name, global] : found->second->globals) memory_.release(global.address);
  modules_.erase(found);
}

LoadedModule* Modules::find(ModuleId id) const {
  const auto found = modules_.find(id);
  return found == modules_.end() ? nullptr : found->second.get();
}

std::pair<LoadedModule*, std::string> Modules::function_at(uint64_t address) const {
  const uint64_t wanted = (address - kFunctionWindow) / kFunctionAlignment;
  for (const auto& [id, loaded] : modules_)
    for (const auto& [name, function_id] : loaded->function_ids)
      if (function_id == wanted) return {loaded.get(), name};
  return {};
}

Outcome Modules::find_global(ModuleId id, std::string_view name, GlobalInfo* info) const {
  const LoadedModule* const loaded = find(id);
  if (!loaded) return {Status::kInvalidValue, ""};
  const auto global = loaded->globals.find(name);
  if (global == loaded->globals.end()) return {Status::kInvalidSymbol, ""};
  *info = global->second;
  return {};
}

}  // namespace lockstep
