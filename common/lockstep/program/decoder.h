// decoder: one function's statements → decoded instructions. Lays out its registers, parameters and local variables.
// decoder.cc has registers, operands and arithmetic; decoder_memory.cc, decoder_control.cc and decoder_async.cc the
// rest.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "base/align.h"
#include "program/program.h"

namespace lockstep {

std::optional<AtomicOp> atomic_op(const std::string& modifier);
uint32_t width_bytes(Width width);  // of a register, 32 lanes

// What an instruction may not be: thrown while one statement is decoded, and kept as the program's refusal.
struct Unsupported : std::runtime_error {
  explicit Unsupported(const std::string& what,
                       const std::string& next = "run it on a GPU, or write it without this instruction.")
      : std::runtime_error(what + "\n  Next: " + next) {}
};

// What only a declaration is known of.
inline Unsupported not_defined(const std::string& what, const std::string& name) {
  return Unsupported(
      "the " + what + " '" + demangled(name) + "' is not defined in the PTX of any of the program's files",
      "define it, and build every file that defines such with -gencode arch=compute_75,code=compute_75 "
      "and --compress-mode=none.");
}

// Where the block's shared arrays lie.
struct SharedLayout {
  std::unordered_map<std::string, uint32_t> module_offsets;  // module-scope arrays
  std::map<std::pair<const Function*, std::string>, uint32_t> function_offsets;
  uint32_t end = kSharedBase;

  uint32_t place(const Variable& v) {
    const uint32_t offset = align_up(end, std::max<uint32_t>(v.align, 1));
    end = offset + static_cast<uint32_t>(v.bytes);
    return offset;
  }
};

// What the functions of one program share while they are decoded.
struct LinkContext {
  const Module& module;
  const Linkage& linkage;
  Program& program;
  SharedLayout shared{};
  std::vector<const Function*> reachable{};  // beside Program::functions

  uint32_t index_of(const std::string& name) const;  // kNowhere if it is not reachable
};

// The names an operand mentions, nested ones too.
template <class Visit>
void for_each_name(const Operand& operand, Operand::Kind kind, const Visit& visit) {
  if (operand.kind == kind) visit(operand.name);
  for (const Operand& element : operand.elements) for_each_name(element, kind, visit);
}

class FunctionDecoder {
 public:
  // index: of the function in Program::functions; 0 is the kernel.
  FunctionDecoder(LinkContext& context, const Function& function, uint32_t index)
      : context_(context),
        function_(function),
        program_(context.program),
        code_(program_.functions[index]),
        index_(index) {}

  void run();

 private:
  struct Register {
    Type type;
    uint32_t offset = 0;  // 0 until first used
  };

  void lay_out_variables();
  void note_reads(const Statement& s);
  void decode(const Statement& s, uint32_t reconvergence);
  Instruction& emit(const Statement& s, Kind kind);
  void emit_alu(const Statement& s, AluHandler handler, uint32_t d, uint32_t a, uint32_t b = 0, uint32_t modes = 0);
  void place_labels();

  // Registers and constants.
  uint32_t allocate(Width width);
  Register* find_register(const std::string& name);
  uint32_t constant(Width width, uint64_t bits) { return preset(Preset::kBits, width, bits); }
  uint32_t preset(Preset::Source source, Width width, uint64_t bits);
  Width width_of_operand(const Operand& operand);
  uint32_t source(const Statement& s, const Operand& operand, Width width, Type literal);
  uint32_t predicate(const Statement& s, const Operand& operand);
  uint32_t destination(const Statement& s, const Operand& operand, Width width);
  uint64_t immediate_bits(const Operand& operand, Type literal) const;
  uint32_t symbol(const Operand& operand, Width width);

  // One function per group of instructions.
  void check_width(const Statement& s, const Operand& operand, Width wanted);
  void decode_alu(const Statement& s);
  void decode_mov(const Statement& s);
  void decode_pack(const Statement& s);
  void decode_cvta(const Statement& s);
  void decode_isspacep(const Statement& s);
  void decode_memory(const Statement& s, MemoryOp op);
  void decode_vector_atomic(const Statement& s, MemoryOp op);
  void read_modifier(MemoryAccess& access, const std::string& modifier);
  void check_parameter(const MemoryAccess& access, const Statement& s, const Operand& address);
  void decode_atomic(MemoryAccess& access, const Statement& s);
  void place_address(MemoryAccess& access, const Statement& s, const Operand& address);
  MemoryAccess place(const Statement& s, size_t operand, MemoryOp op, Space space, uint32_t bytes);
  void settle(MemoryAccess& access);
  void emit_async(const Statement& s, AsyncUse& use);
  void decode_async(const Statement& s);
  void decode_copy(const Statement& s);
  void decode_bulk_copy(const Statement& s);
  void decode_mbarrier(const Statement& s);
  void decode_cluster(const Statement& s);
  void decode_branch(const Statement& s, uint32_t reconvergence);
  void decode_allocate(const Statement& s);
  void decode_call(const Statement& s);
  void decode_barrier(const Statement& s);
  void decode_collective(const Statement& s);
  void decode_warp_barrier(const Statement& s);
  void decode_fence(const Statement& s);
  void decode_read_special(const Statement& s, Special special);
  bool is_formal(const std::string& name) const;
  ParamSlot param_slot(const std::string& name) const;

  LinkContext& context_;
  const Function& function_;
  Program& program_;
  FunctionCode& code_;
  uint32_t index_;
  std::unordered_map<std::string, Register> registers_;
  std::set<std::string> read_registers_;  // by any instruction of the function
  std::set<std::string> used_registers_;  // likewise, but for being stored
  std::map<std::tuple<int, int, uint64_t>, uint32_t> presets_;
  std::unordered_map<std::string, uint64_t> locals_;
  std::unordered_map<std::string, ParamSlot> params_;
  std::unordered_map<std::string, uint32_t> labels_;  // → pc
  std::vector<uint32_t> statement_pc_;
  std::vector<std::pair<uint32_t, std::string>> branches_;  // pc, label: to be patched
  std::vector<std::pair<uint32_t, uint32_t>> meetings_;     // pc, statement: to be patched
  std::vector<std::pair<uint32_t, std::vector<std::string>>> tables_;
};

}  // namespace lockstep
