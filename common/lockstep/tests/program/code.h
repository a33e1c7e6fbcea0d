// code: the body of a kernel in PTX → its Program.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "program/decode_program.h"
#include "ptx/parser.h"

namespace lockstep {

inline Module module_of(const std::string& body) {
  return parse(
      ".version 8.5\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n.reg .pred %p<4>;\n"
      ".reg .b32 %r<19>;\n.reg .b64 %rd<9>;\n" +
      body + "\nret;\n}\n");
}

inline std::unique_ptr<Program> decoded(const Module& module, uint64_t param_block = 0) {
  Symbols symbols;
  symbols.param_block = param_block;
  symbols.access_handler = [](const MemoryAccess&) -> AccessHandler { return [](Warp&, const MemoryAccess&, Mask) {}; };
  symbols.variable_address = [](const std::string&) { return uint64_t{0}; };
  symbols.function_id = symbols.variable_address;
  symbols.find_function = [](const std::string&) -> const Function* { return nullptr; };
  symbols.address_taken = [] { return std::vector<const Function*>{}; };
  return decode_program(module, module.functions[0], symbols);
}

}  // namespace lockstep
