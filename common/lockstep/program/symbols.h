// symbols: the addresses and ids that the device has given to the names of a loaded module.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "program/memory_access.h"
#include "ptx/module.h"

namespace lockstep {

struct Symbols {
  // The absolute address of a module-scope .global or .const variable; 0 if there is none.
  std::function<uint64_t(const std::string&)> variable_address;
  // A function's id within the device: its address is kFunctionWindow + 16·id.
  std::function<uint64_t(const std::string&)> function_id;
  std::function<const Function*(const std::string&)> find_function;
  std::function<std::vector<const Function*>()> address_taken;  // the functions that an indirect call could reach
  // The engine's function for an access; null for a form that is not supported.
  std::function<AccessHandler(const MemoryAccess&)> access_handler;
  uint64_t param_block = 0;  // the absolute address at which a launch puts the kernel's parameters
};

}  // namespace lockstep
