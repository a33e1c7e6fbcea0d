// register_file: where each register of a function lies in its frame, and which registers hold a value before the first
// instruction. A register gets its offset when it is first used.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <unordered_map>

#include "alu/alu.h"
#include "program/function_code.h"
#include "ptx/module.h"

namespace lockstep {

uint32_t width_bytes(Width width);  // of a register: 32 lanes

struct Register {
  Type type;
  uint32_t offset = 0;  // 0 until first used
};

class RegisterFile {
 public:
  RegisterFile(const Function& function, FunctionCode& code);

  uint32_t allocate(Width width);
  const Register* find(const std::string& name);  // null if the function does not declare it
  Width width_of(const Operand& operand);         // kNone if it is not a register
  uint32_t constant(Width width, uint64_t bits) { return preset(Preset::kBits, width, bits); }
  uint32_t preset(Preset::Source source, Width width, uint64_t bits);

 private:
  FunctionCode& code_;
  std::unordered_map<std::string, Register> registers_;
  std::map<std::tuple<int, int, uint64_t>, uint32_t> presets_;  // source, width, bits → offset
};

}  // namespace lockstep
