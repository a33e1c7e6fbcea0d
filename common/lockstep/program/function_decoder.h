// function_decoder: one function's statements → decoded instructions. It emits instructions and finds the registers of
// their operands, for all decoders. opcodes.h declares the decoders; the table of opcodes has one line for each.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/words.h"
#include "program/contraction.h"
#include "program/frame_layout.h"

namespace lockstep {

// An instruction that is refused. The program keeps the first refusal. what() has marks (base/words.h).
struct Unsupported : std::runtime_error {
  explicit Unsupported(const std::string& what,
                       const std::string& next = words("run it on a GPU, or write it without this instruction."))
      : std::runtime_error(with_next(what, next)) {}
};

inline Unsupported unsupported_modifier(const std::string& name) {
  return Unsupported(words("'{name}' is not supported here", {{"name", "." + name}}));
}

// For a name that is declared and not defined.
inline Unsupported not_defined(bool is_function, const std::string& name) {
  const Facts facts = {{"name", demangled(name)}};
  return Unsupported(
      is_function ? words("the function '{name}' is not defined in the PTX of any of the program's files", facts)
                  : words("the variable '{name}' is not defined in the PTX of any of the program's files", facts),
      words("define it, and build every file that defines such with -gencode arch=compute_75,code=compute_75 and "
            "--no-compress."));
}

// The state space that a modifier names, such as "shared::cta"; kGeneric if it names none.
Space space_of(const std::string& modifier);

// The offsets of the block's shared arrays.
struct SharedLayout {
  std::unordered_map<std::string, uint32_t> module_offsets;  // module-scope arrays
  std::map<std::pair<const Function*, std::string>, uint32_t> function_offsets;
  uint32_t end = kSharedBase;
};

// The data that the functions of one program share while they are decoded.
struct DecodeContext {
  const Module& module;
  const Symbols& symbols;
  Program& program;
  SharedLayout shared{};
  std::vector<const Function*> reachable{};  // parallel to Program::functions

  // The function's index in reachable; kNowhere if the entry cannot reach the function.
  uint32_t index_of(const std::string& name) const {
    for (uint32_t i = 0; i < reachable.size(); ++i)
      if (reachable[i]->name == name) return i;
    return kNowhere;
  }
};

class FunctionDecoder {
 public:
  // index: the function's index in Program::functions; 0 is the kernel.
  FunctionDecoder(DecodeContext& context, const Function& function, uint32_t index);

  void run();
  void decode(const Statement& s);

  // An instruction with the statement's guard, name and location. The reference is valid until the next one.
  Instruction& emit(const Statement& s, Kind kind);
  Instruction& emit_alu(const Statement& s, AluHandler handler, const AluOperands& operands);
  void read_special(const Statement& s, Special special);
  // Appends `use` to the list, and emits an instruction with the index of the new element.
  template <class Use>
  Instruction& emit_use(const Statement& s, Kind kind, std::vector<Use>& list, Use use) {
    Instruction& in = emit(s, kind);
    in.index = static_cast<uint32_t>(list.size());
    list.push_back(std::move(use));
    return in;
  }
  // The access belongs to the instruction that was emitted last.
  void add_access(MemoryAccess& access);
  // These two take effect when all labels are known. They set the target of the branch that was emitted last, and the
  // entries of a table of targets.
  void branch_to(const std::string& label) { branches_.emplace_back(last_pc(), label); }
  void fill_table(uint32_t table, const std::vector<std::string>& labels) { tables_.emplace_back(table, labels); }

  // The register that holds an operand's value: constants and addresses get a register of their own. kNone accepts
  // registers of any width. literal: the type as which a constant is read.
  uint32_t source(const Statement& s, const Operand& operand, Width width, Type literal = Type::kNone);
  uint32_t word(const Statement& s, size_t operand) { return source(s, s.operands.at(operand), Width::k32); }
  uint32_t double_word(const Statement& s, size_t operand) { return source(s, s.operands.at(operand), Width::k64); }
  uint32_t predicate(const Statement& s, const Operand& operand);
  uint32_t destination(const Statement& s, size_t operand, Width width);  // 0 for "_"
  uint32_t destination(const Statement& s, const Operand& operand, Width width);
  // Sets the access's base, offset, and final space.
  void set_address(MemoryAccess& access, const Statement& s, size_t operand);
  ParamSlot param_slot(const std::string& name) const;

  bool is_kernel() const { return index_ == 0; }
  uint32_t index() const { return index_; }
  bool is_parameter(const std::string& name) const { return variables_.params.contains(name); }
  bool is_read(const std::string& name) const { return read_registers_.contains(name); }
  bool is_used(const std::string& name) const { return used_registers_.contains(name); }
  RegisterFile& registers() { return registers_; }
  DecodeContext& context() { return context_; }
  Program& program() { return program_; }
  const Function& function() const { return function_; }

 private:
  void note_reads(const Statement& s);
  void decode_or_refuse(uint32_t statement, uint32_t meeting);  // meeting: a statement, or kNowhere
  void decode_contracted(const Statement& s, const Contraction& contraction);
  void keep_factors(uint32_t product);
  void resolve_labels();
  uint32_t last_pc() const { return static_cast<uint32_t>(program_.code.size() - 1); }
  void check_width(const Statement& s, const Operand& operand, Width wanted);
  uint32_t symbol(const Operand& operand, Width width);
  std::optional<uint64_t> shared_offset(const std::string& name) const;
  bool is_formal(const std::string& name) const;

  DecodeContext& context_;
  const Function& function_;
  Program& program_;
  uint32_t index_;
  RegisterFile registers_;
  FrameVariables variables_;
  std::set<std::string> read_registers_;  // by any instruction of the function
  std::set<std::string> used_registers_;  // likewise, without those that are only stored
  const Contractions contractions_;
  std::unordered_map<uint32_t, std::array<uint32_t, 2>> kept_factors_;  // by the product's statement: registers
  std::unordered_map<std::string, uint32_t> labels_;                    // → pc
  std::vector<uint32_t> statement_pc_;
  std::vector<std::pair<uint32_t, std::string>> branches_;  // pc, label
  std::vector<std::pair<uint32_t, uint32_t>> meetings_;     // pc, statement
  std::vector<std::pair<uint32_t, std::vector<std::string>>> tables_;
};

}  // namespace lockstep
