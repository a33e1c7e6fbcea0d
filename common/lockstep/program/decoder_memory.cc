// ld, st, atom and red → MemoryAccess.
#include <algorithm>
#include <optional>

#include "program/decoder.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

const std::set<std::string>& memory_hints() {
  static const std::set<std::string> hints = {
      "weak",    "volatile", "relaxed", "acquire", "release", "acq_rel", "sc", "mmio", "cta",
      "cluster", "gpu",      "sys",     "ca",      "cg",      "cs",      "lu", "cv",   "wb",
      "wt",      "nc",       "noftz",   "unified", "v2",      "v4",      "v8"};
  return hints;
}

Space space_of(const std::string& m) {
  if (m == "global") return Space::kGlobal;
  if (m == "shared" || m == "shared::cta" || m == "shared::cluster") return Space::kShared;
  if (m == "local") return Space::kLocal;
  if (m == "const") return Space::kConst;
  if (m == "param" || m == "param::entry" || m == "param::func") return Space::kParam;
  return Space::kGeneric;
}

}  // namespace

std::optional<AtomicOp> atomic_op(const std::string& m) {
  static const std::unordered_map<std::string, AtomicOp> ops = {
      {"add", AtomicOp::kAdd},   {"min", AtomicOp::kMin}, {"max", AtomicOp::kMax}, {"inc", AtomicOp::kInc},
      {"dec", AtomicOp::kDec},   {"and", AtomicOp::kAnd}, {"or", AtomicOp::kOr},   {"xor", AtomicOp::kXor},
      {"exch", AtomicOp::kExch}, {"cas", AtomicOp::kCas}};
  const auto found = ops.find(m);
  return found == ops.end() ? std::nullopt : std::optional(found->second);
}

// The order that the modifiers ask for; an atomic operation is relaxed at the least.
static MemoryOrder order_of(const Statement& s, bool atomic) {
  if (s.has("acq_rel") || s.has("sc")) return MemoryOrder::kAcquireRelease;
  if (s.has("acquire")) return MemoryOrder::kAcquire;
  if (s.has("release")) return MemoryOrder::kRelease;
  if (s.has("relaxed") || s.has("mmio") || atomic) return MemoryOrder::kRelaxed;
  return s.has("volatile") ? MemoryOrder::kVolatile : MemoryOrder::kWeak;
}

ParamSlot FunctionDecoder::param_slot(const std::string& name) const {
  const auto found = params_.find(name);
  if (found == params_.end()) throw Unsupported("the parameter '" + name + "' is not known here");
  return found->second;
}

void FunctionDecoder::place_address(MemoryAccess& access, const Statement& s, const Operand& address) {
  if (address.kind != Operand::kAddress) throw PtxError(s.location.ptx_line, "an address is expected");
  const Operand& base = address.elements[0];
  access.offset = address.offset;
  if (base.kind == Operand::kInteger) {
    access.offset += static_cast<int64_t>(base.bits);
  } else if (base.kind == Operand::kSymbol && access.space == Space::kParam) {
    access.offset += param_slot(base.name).offset;
    const bool kernel_parameter = index_ == 0 && is_formal(base.name);
    if (kernel_parameter) access.offset += static_cast<int64_t>(context_.linkage.param_block);
    access.space = kernel_parameter ? Space::kConst : Space::kParam;
  } else {
    access.wide_base = base.kind == Operand::kSymbol || width_of_operand(base) == Width::k64;
    access.base = source(s, base, access.wide_base ? Width::k64 : Width::k32, Type::kU64);
    if (access.space == Space::kParam) access.space = Space::kConst;  // a kernel's parameter through its address
  }
}

// A parameter's place is fixed, so that an access beyond it is known before any thread runs.
void FunctionDecoder::check_parameter(const MemoryAccess& access, const Statement& s, const Operand& address) {
  const Operand& base = address.elements[0];
  if (base.kind != Operand::kSymbol || !params_.contains(base.name)) return;
  if (address.offset < 0 || address.offset + access.bytes * access.count > param_slot(base.name).bytes)
    throw PtxError(s.location.ptx_line, s.full_name() + " reaches beyond the parameter '" + base.name + "'");
}

// atom {d, …}, [a], {b, …}: one access for each element, since each is atomic by itself. The counters see as many.
void FunctionDecoder::decode_vector_atomic(const Statement& s, MemoryOp op) {
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
    decode_memory(element, op);
  }
}

void FunctionDecoder::decode_memory(const Statement& s, MemoryOp op) {
  const bool atomic = op == MemoryOp::kAtomic || op == MemoryOp::kReduction;
  if (atomic && s.operands.back().kind == Operand::kVector) return decode_vector_atomic(s, op);
  MemoryAccess access;
  access.op = op;
  if (s.modifiers().empty()) throw PtxError(s.location.ptx_line, s.opcode() + ": a type is missing");
  access.type = type_from_name(s.modifiers().back());
  if (access.type == Type::kNone) throw Unsupported("the type '." + s.modifiers().back() + "' is not supported");
  access.bytes = static_cast<uint8_t>(type_bytes(access.type));
  for (const std::string& m : s.modifiers()) read_modifier(access, m);
  access.order = order_of(s, op == MemoryOp::kAtomic || op == MemoryOp::kReduction);
  access.scope = s.has("cta") ? Scope::kBlock : Scope::kDevice;
  access.may_spin = s.has("volatile") || s.has("relaxed") || s.has("acquire");
  const bool first_is_address = op == MemoryOp::kStore || op == MemoryOp::kReduction;
  place_address(access, s, s.operands.at(first_is_address ? 0 : 1));
  if (atomic) {
    decode_atomic(access, s);
  } else {
    const Operand& data = s.operands.at(op == MemoryOp::kLoad ? 0 : 1);
    const std::vector<Operand> scalar{data};
    const auto& list = data.kind == Operand::kVector ? data.elements : scalar;
    if (list.size() > std::size(access.registers))
      throw Unsupported("vectors of more than four elements are not supported");
    access.count = static_cast<uint8_t>(list.size());
    access.register_width = width_of(access.type);
    access.only_copied = op == MemoryOp::kLoad && std::ranges::none_of(list, [&](const Operand& element) {
                           return used_registers_.contains(element.name);
                         });
    for (size_t i = 0; i < list.size(); ++i) {
      if (list[i].kind == Operand::kRegister) access.register_width = width_of_operand(list[i]);
      access.registers[i] = op == MemoryOp::kLoad ? destination(s, list[i], access.register_width)
                                                  : source(s, list[i], access.register_width, access.type);
    }
  }
  check_parameter(access, s, s.operands[first_is_address ? 0 : 1]);
  access.handler = context_.linkage.access_handler(access);
  if (!access.handler) throw Unsupported("this form of the instruction is not supported");
  const auto index = static_cast<uint32_t>(program_.accesses.size());
  Instruction& in = emit(s, Kind::kMemory);
  in.extra = index;
  access.pc = static_cast<uint32_t>(program_.code.size() - 1);
  access.index = index;
  program_.accesses.push_back(access);
}

void FunctionDecoder::read_modifier(MemoryAccess& access, const std::string& m) {
  const bool atomic = access.op == MemoryOp::kAtomic || access.op == MemoryOp::kReduction;
  if (const Space space = space_of(m); space != Space::kGeneric) {
    access.space = space;
  } else if (const auto op = atomic_op(m); op && atomic) {
    access.atomic = *op;
  } else {
    const bool hint = m.starts_with("L1::") || m.starts_with("L2::") || memory_hints().contains(m);
    if (!hint && type_from_name(m) == Type::kNone) throw Unsupported("'." + m + "' is not supported");
  }
}

// atom d, [a], b {, c} and red [a], b.
void FunctionDecoder::decode_atomic(MemoryAccess& access, const Statement& s) {
  const size_t b = access.op == MemoryOp::kAtomic ? 2 : 1;
  access.register_width = width_of(access.type);
  // nvcc writes atom also where nobody reads the result; ptxas makes a reduction of it, and so do we.
  const bool has_result = access.op == MemoryOp::kAtomic && read_registers_.contains(s.operands[0].name);
  if (has_result)
    access.registers[0] = destination(s, s.operands[0], access.register_width);
  else if (access.atomic != AtomicOp::kExch && access.atomic != AtomicOp::kCas)
    access.op = MemoryOp::kReduction;
  access.registers[1] = source(s, s.operands.at(b), access.register_width, access.type);
  if (access.atomic == AtomicOp::kCas)
    access.operand2 = source(s, s.operands.at(b + 1), access.register_width, access.type);
  access.may_spin |= has_result;
  access.literal_one = !has_result && access.atomic == AtomicOp::kAdd && s.operands[b].kind == Operand::kInteger &&
                       s.operands[b].bits == 1;
}

}  // namespace lockstep
