// modules: the modules that are loaded. PTX texts go in; each becomes a parsed module, the modules are linked to one,
// and its variables get memory and their first values. Decodes no function: kernels does.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "device/device_memory.h"
#include "device/requests.h"
#include "program/steering.h"
#include "ptx/lexer.h"
#include "ptx/module.h"

namespace lockstep {

struct LoadedModule {
  Module module;  // linked
  std::map<std::string, GlobalInfo, std::less<>> globals;
  std::unordered_map<std::string, Function*> functions;
  std::unordered_map<std::string, uint64_t> function_ids;
  std::vector<const Function*> address_taken;  // an indirect call could reach these
  Steering steering;
};

// The answer to PTX that cannot be read. Such PTX comes from an asm statement, which nvcc copies without reading it, or
// from another version of nvcc.
Outcome refused(const PtxError& error);

class Modules {
 public:
  explicit Modules(DeviceMemory& memory) : memory_(memory) {}

  // What all loaded modules do.
  Steering steering() const;

  Outcome load(const std::vector<std::string_view>& ptx, ModuleId* id);
  void unload(ModuleId id);
  LoadedModule* find(ModuleId id) const;  // null: no such module
  // The module and the name of the function at this address in the window of functions; null and empty: none.
  std::pair<LoadedModule*, std::string> function_at(uint64_t address) const;
  Outcome find_global(ModuleId id, std::string_view name, GlobalInfo* info) const;

 private:
  void allocate_variables(LoadedModule& loaded);
  void initialise(const LoadedModule& loaded, const Variable& v);

  DeviceMemory& memory_;
  std::map<ModuleId, std::unique_ptr<LoadedModule>> modules_;
  ModuleId next_module_ = 1;
  uint64_t next_function_id_ = 1;
};

}  // namespace lockstep
