// decode_memory: ld, st, atom and red → MemoryAccess.
#include <algorithm>
#include <optional>
#include <set>

#include "base/words.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

// The order that the modifiers ask for. An atomic operation is at least relaxed.
MemoryOrder order_of(const Statement& s, bool atomic) {
  if (s.has("acq_rel") || s.has("sc")) return MemoryOrder::kAcquireRelease;
  if (s.has("acquire")) return MemoryOrder::kAcquire;
  if (s.has("release")) return MemoryOrder::kRelease;
  if (s.has("relaxed") || s.has("mmio") || atomic) return MemoryOrder::kRelaxed;
  return s.has("volatile") ? MemoryOrder::kVolatile : MemoryOrder::kWeak;
}

void read_modifier(MemoryAccess& access, const std::string& m) {
  static const std::set<std::string> hints = {
      "weak",    "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta",
      "cluster", "gpu",      "sys",     "ca",      "cg",      "cs",      "lu", "cv",   "wb",
      "wt",      "nc",       "noftz",   "unified", "v2",      "v4",      "v8"};
  if (const Space space = space_of(m); space != Space::kGeneric) {
    access.space = space;
  } else if (const auto op = atomic_op_from_name(m); op && is_atomic(access)) {
    access.atomic = *op;
  } else {
    const bool is_hint = m.starts_with("L1::") || m.starts_with("L2::") || hints.contains(m);
    if (!is_hint && type_from_name(m) == Type::kNone)
      throw Unsupported(words("'{name}' is not supported", {{"name", "." + m}}));
  }
}

// The fields of the access that the instruction's name gives.
MemoryAccess named_access(const Statement& s, MemoryOp op) {
  MemoryAccess access;
  access.op = op;
  if (s.modifiers().empty()) throw type_is_missing(s, s.opcode());
  access.type = type_from_name(s.modifiers().back());
  if (access.type == Type::kNone)
    throw Unsupported(words("the type '{type}' is not supported", {{"type", "." + s.modifiers().back()}}));
  access.bytes = static_cast<uint8_t>(type_bytes(access.type));
  for (const std::string& m : s.modifiers()) read_modifier(access, m);
  access.register_width = width_of(access.type);
  access.order = order_of(s, is_atomic(access));
  access.scope = s.has("cta") ? Scope::kBlock : Scope::kDevice;
  access.reaches_host = s.has("volatile") || s.has("sys");
  access.may_spin = s.has("volatile") || s.has("relaxed") || s.has("acquire");
  return access;
}

// The slot of a parameter is fixed, so that an access beyond it is known before any thread runs.
void check_parameter(FunctionDecoder& f, const MemoryAccess& access, const Statement& s, const Operand& address) {
  const Operand& base = address.elements[0];
  if (base.kind != Operand::kSymbol || !f.is_parameter(base.name)) return;
  if (address.offset < 0 || address.offset + access.bytes * access.count > f.param_slot(base.name).bytes)
    throw PtxError(s.location.ptx_line, words("{instruction} reaches beyond the parameter '{name}'",
                                              {{"instruction", s.full_name()}, {"name", base.name}}));
}

void emit_access(FunctionDecoder& f, const Statement& s, MemoryAccess& access, const Operand& address) {
  check_parameter(f, access, s, address);
  access.handler = f.context().symbols.access_handler(access);
  if (!access.handler) throw Unsupported(words("this form of the instruction is not supported"));
  f.emit(s, Kind::kMemory).index = static_cast<uint32_t>(f.program().accesses.size());
  f.add_access(access);
}

// The registers that a load fills or a store reads.
void set_registers(FunctionDecoder& f, const Statement& s, MemoryAccess& access, const Operand& data) {
  const bool loads = access.op == MemoryOp::kLoad;
  const std::vector<Operand> scalar{data};
  const auto& list = data.kind == Operand::kVector ? data.elements : scalar;
  if (list.size() > std::size(access.registers))
    throw Unsupported(words("vectors of more than four elements are not supported"));
  access.count = static_cast<uint8_t>(list.size());
  access.only_copied =
      loads && std::ranges::none_of(list, [&](const Operand& element) { return f.is_used(element.name); });
  // They have one width, which may be larger than that of the data.
  const auto first = std::ranges::find(list, Operand::kRegister, &Operand::kind);
  if (first != list.end()) access.register_width = f.registers().width_of(*first);
  for (size_t i = 0; i < list.size(); ++i) {
    access.registers[i] = loads ? f.destination(s, list[i], access.register_width)
                                : f.source(s, list[i], access.register_width, access.type);
  }
}

// atom {d, …}, [a], {b, …}: one access for each element, since each element is atomic by itself. The counters count
// each access.
void decode_vector_atomic(FunctionDecoder& f, const Statement& s) {
  Statement element = s;
  std::string name = s.opcode();
  for (const std::string& m : s.modifiers())
    if (m != "v2" && m != "v4" && m != "v8") name += "." + m;
  element.set_name(name);
  const uint32_t bytes = s.modifiers().empty() ? 0 : type_bytes(type_from_name(s.modifiers().back()));
  const size_t count = s.operands.back().elements.size();
  for (size_t i = 0; i < count; ++i) {
    for (size_t o = 0; o < s.operands.size(); ++o) {
      if (s.operands[o].kind == Operand::kVector) element.operands[o] = s.operands[o].elements.at(i);
      if (s.operands[o].kind == Operand::kAddress)
        element.operands[o].offset = s.operands[o].offset + static_cast<int64_t>(i * bytes);
    }
    f.decode(element);
  }
}

}  // namespace

void decode_load(FunctionDecoder& f, const Statement& s, const Opcode&) {  // ld d, [a]
  MemoryAccess access = named_access(s, MemoryOp::kLoad);
  f.set_address(access, s, 1);
  set_registers(f, s, access, s.operands[0]);
  emit_access(f, s, access, s.operands[1]);
}

void decode_store(FunctionDecoder& f, const Statement& s, const Opcode&) {  // st [a], b
  MemoryAccess access = named_access(s, MemoryOp::kStore);
  f.set_address(access, s, 0);
  set_registers(f, s, access, s.operands.at(1));
  emit_access(f, s, access, s.operands[0]);
}

// atom d, [a], b {, c} and red [a], b.
void decode_atomic(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  if (!s.operands.empty() && s.operands.back().kind == Operand::kVector) return decode_vector_atomic(f, s);
  const bool is_atom = opcode.operands == Operands::kResultFirst;
  MemoryAccess access = named_access(s, is_atom ? MemoryOp::kAtomic : MemoryOp::kReduction);
  const size_t address = is_atom ? 1 : 0, b = address + 1;
  f.set_address(access, s, address);
  // nvcc writes atom even if the result is not read. ptxas makes a reduction of it, and so does lockstep.
  const bool has_result = is_atom && f.is_read(s.operands[0].name);
  if (has_result)
    access.registers[0] = f.destination(s, 0, access.register_width);
  else if (access.atomic != AtomicOp::kExch && access.atomic != AtomicOp::kCas)
    access.op = MemoryOp::kReduction;
  access.registers[1] = f.source(s, s.operands.at(b), access.register_width, access.type);
  if (access.atomic == AtomicOp::kCas)
    access.operand2 = f.source(s, s.operands.at(b + 1), access.register_width, access.type);
  access.may_spin |= has_result;
  access.literal_one = !has_result && access.atomic == AtomicOp::kAdd && s.operands[b].kind == Operand::kInteger &&
                       s.operands[b].bits == 1;
  emit_access(f, s, access, s.operands[address]);
}

}  // namespace lockstep
