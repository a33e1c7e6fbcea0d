#include "program/decoder.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "program/control_flow.h"
#include "program/special_registers.h"
#include "ptx/lexer.h"

namespace lockstep {

uint32_t width_bytes(Width width) {
  switch (width) {
    case Width::kNone: return 0;
    case Width::kPred: return sizeof(Mask);
    case Width::k16: return 2 * kWarpSize;
    case Width::k32: return 4 * kWarpSize;
    case Width::k64: return 8 * kWarpSize;
    case Width::k128: return 16 * kWarpSize;
  }
  return 0;
}

namespace {

// ---- handlers for what only program knows how to express ----

// The arithmetic that an address conversion comes down to.
AluHandler arithmetic(const char* opcode, const char* type) {
  Statement s;
  s.set_name(std::string(opcode) + "." + type);
  s.operands.resize(3);
  return select_alu(s, {Width::k64, Width::k64, Width::k64})->handler;
}

// A predicate for each lane: whether its generic address lies in [b, b + c). It is set, or what it was is left alone
// for the addresses outside, and set or cleared for those inside.
enum class IfInside : uint32_t { kReplace, kSet, kClear };
void in_range(std::byte* registers, const AluOperands& in, Mask mask) {
  const auto* a = lanes<uint64_t>(registers, in.a);
  const uint64_t start = *lanes<uint64_t>(registers, in.b), bytes = *lanes<uint64_t>(registers, in.c);
  Mask inside = 0;
  for (int l = 0; l < kWarpSize; ++l) inside |= static_cast<Mask>(a[l] - start < bytes) << l;
  Mask& d = *lanes<Mask>(registers, in.d);
  switch (static_cast<IfInside>(in.modes)) {
    case IfInside::kReplace: d = (d & ~mask) | (inside & mask); break;
    case IfInside::kSet: d |= inside & mask; break;
    case IfInside::kClear: d &= ~(inside & mask); break;
  }
}

void not_predicate(std::byte* registers, const AluOperands& in, Mask) {
  *lanes<Mask>(registers, in.d) = ~*lanes<Mask>(registers, in.a);
}

// d = piece number modes of a.
template <class Whole, class Piece>
void unpack(std::byte* registers, const AluOperands& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  for (int l = 0; l < kWarpSize; ++l) d[l] = mask >> l & 1 ? a[l * kPieces + in.modes] : d[l];
}

// Piece number modes of d = a.
template <class Whole, class Piece>
void pack(std::byte* registers, const AluOperands& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  constexpr int kPieces = sizeof(Whole) / sizeof(Piece);
  for (int l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) d[l * kPieces + in.modes] = a[l];
}

struct Uint128 {
  uint64_t low, high;
};

AluHandler select_pack(Width whole, Width piece, bool to_whole) {
  if (whole == Width::k32 && piece == Width::k16)
    return to_whole ? pack<uint32_t, uint16_t> : unpack<uint32_t, uint16_t>;
  if (whole == Width::k64 && piece == Width::k16)
    return to_whole ? pack<uint64_t, uint16_t> : unpack<uint64_t, uint16_t>;
  if (whole == Width::k64 && piece == Width::k32)
    return to_whole ? pack<uint64_t, uint32_t> : unpack<uint64_t, uint32_t>;
  if (whole == Width::k128 && piece == Width::k64)
    return to_whole ? pack<Uint128, uint64_t> : unpack<Uint128, uint64_t>;
  if (whole == Width::k128 && piece == Width::k32)
    return to_whole ? pack<Uint128, uint32_t> : unpack<Uint128, uint32_t>;
  return nullptr;
}

}  // namespace

void FunctionDecoder::run() {
  code_.name = function_.name;
  code_.entry = static_cast<uint32_t>(program_.code.size());
  code_.register_bytes = 64;  // offset 0 is never a register, 8 is the carry; then aligned for vector loads
  for (const RegisterDeclaration& r : function_.registers) registers_[r.name] = {r.type};
  lay_out_variables();
  for (const Statement& s : function_.body) note_reads(s);
  const std::vector<uint32_t> points = reconvergence_points(function_);
  std::vector<bool> meets(function_.body.size() + 1, false);
  for (const uint32_t p : points)
    if (p != kNowhere) meets[p] = true;
  for (uint32_t i = 0; i < function_.body.size(); ++i) {
    const Statement& s = function_.body[i];
    statement_pc_.push_back(static_cast<uint32_t>(program_.code.size()));
    if (meets[i]) emit(s, Kind::kJoin);
    if (!s.label.empty()) {
      labels_[s.label] = statement_pc_.back();
      continue;
    }
    try {
      decode(s, points[i]);
    } catch (const Unsupported& error) {
      if (program_.refusal.empty()) {
        program_.refusal = error.what();
        program_.refusal_location = s.location;
        program_.refusal_instruction = s.full_name();
      }
    } catch (const std::out_of_range&) {
      throw PtxError(s.location.ptx_line, s.full_name() + ": an operand is missing");
    }
  }
  Statement end;
  end.set_name(index_ == 0 ? "exit" : "ret");
  emit(end, index_ == 0 ? Kind::kExit : Kind::kReturn);
  place_labels();
}

void FunctionDecoder::note_reads(const Statement& s) {
  static const std::set<std::string> only_reads = {"st", "red", "bra", "brx", "call", "bar", "barrier", "nanosleep"};
  const size_t destinations = only_reads.contains(s.opcode()) ? 0 : s.dual_destination ? 2 : 1;
  for (size_t i = 0; i < s.operands.size(); ++i)
    if (i >= destinations || s.operands[i].kind == Operand::kAddress)
      for_each_name(s.operands[i], Operand::kRegister, [&](const std::string& name) {
        read_registers_.insert(name);
        const bool stored = s.opcode() == "st" && s.operands[i].kind != Operand::kAddress;
        if (!stored) used_registers_.insert(name);
      });
}

void FunctionDecoder::place_labels() {
  for (const auto& [pc, label] : branches_) program_.code[pc].immediate = labels_.at(label);
  for (const auto& [pc, statement] : meetings_) program_.code[pc].extra = statement_pc_[statement];
  for (const auto& [table, names] : tables_)
    for (const std::string& name : names) program_.tables[table].push_back(labels_.at(name));
}

// Where the frame keeps what is not in registers: parameters and call arguments, and local variables.
void FunctionDecoder::lay_out_variables() {
  uint64_t local_end = 0;
  if (index_ == 0) {
    ParamLayout layout = lay_out(function_.params);
    code_.params = layout.slots;
    for (size_t i = 0; i < layout.slots.size(); ++i) params_[function_.params[i].name] = layout.slots[i];
  } else {
    ParamLayout formal = lay_out(function_.params);
    ParamLayout results = lay_out(function_.results, formal.bytes);
    code_.params = formal.slots;
    code_.results = results.slots;
    code_.param_bytes = results.bytes;
    for (size_t i = 0; i < formal.slots.size(); ++i) params_[function_.params[i].name] = formal.slots[i];
    for (size_t i = 0; i < results.slots.size(); ++i) params_[function_.results[i].name] = results.slots[i];
  }
  for (const Variable& v : function_.variables) {
    if (v.space == Space::kLocal) {
      local_end = align_up(local_end, std::max<uint32_t>(v.align, 1));
      locals_[v.name] = local_end;
      local_end += v.bytes;
    } else if (v.space == Space::kParam) {
      code_.param_bytes = align_up(code_.param_bytes, std::max<uint32_t>(v.align, 1));
      params_[v.name] = {code_.param_bytes, static_cast<uint32_t>(v.bytes)};
      code_.param_bytes += static_cast<uint32_t>(v.bytes);
    }
  }
  code_.param_bytes = align_up(code_.param_bytes, 16);
  code_.local_bytes = align_up(local_end, 16);
}

Instruction& FunctionDecoder::emit(const Statement& s, Kind kind) {
  Instruction in;
  in.kind = kind;
  in.uncounted = kind == Kind::kJoin;
  if (!s.guard.empty() && kind != Kind::kJoin) {
    Register* guard = find_register(s.guard);
    if (!guard) throw PtxError(s.location.ptx_line, "no predicate '" + s.guard + "'");
    in.guard = guard->offset;
    in.guard_negated = s.guard_negated;
  }
  program_.code.push_back(in);
  program_.locations.push_back(s.location);
  program_.names.push_back(s.full_name());
  return program_.code.back();
}

void FunctionDecoder::emit_alu(const Statement& s, AluHandler handler, uint32_t d, uint32_t a, uint32_t b,
                               uint32_t modes) {
  Instruction& in = emit(s, Kind::kAlu);
  in.alu = handler;
  in.d = d;
  in.a = a;
  in.b = b;
  in.modes = modes;
}

uint32_t FunctionDecoder::allocate(Width width) {
  const uint32_t bytes = std::max<uint32_t>(width_bytes(width), 8);
  const uint32_t offset = align_up(code_.register_bytes, std::min<uint32_t>(bytes, 64));
  code_.register_bytes = offset + bytes;
  return offset;
}

FunctionDecoder::Register* FunctionDecoder::find_register(const std::string& name) {
  const auto found = registers_.find(name);
  if (found == registers_.end()) return nullptr;
  if (found->second.offset == 0) found->second.offset = allocate(width_of(found->second.type));
  return &found->second;
}

uint32_t FunctionDecoder::preset(Preset::Source from, Width width, uint64_t bits) {
  uint32_t& offset = presets_[{from, static_cast<int>(width), bits}];
  if (offset == 0) {
    offset = allocate(width);
    code_.presets.push_back({from, width, offset, bits});
  }
  return offset;
}

Width FunctionDecoder::width_of_operand(const Operand& operand) {
  if (operand.kind != Operand::kRegister) return Width::kNone;
  if (const auto special = find_special(operand.name)) return special_width(*special);
  const Register* r = find_register(operand.name);
  return r ? width_of(r->type) : Width::kNone;
}

uint64_t FunctionDecoder::immediate_bits(const Operand& operand, Type literal) const {
  const bool wants_f32 = literal == Type::kF32, wants_f64 = literal == Type::kF64;
  if (operand.kind == Operand::kDouble && wants_f32)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  if (operand.kind == Operand::kFloat && wants_f64)
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  return operand.bits;
}

// The place of a variable or function, as a register that holds its address.
uint32_t FunctionDecoder::symbol(const Operand& operand, Width width) {
  const auto addend = static_cast<uint64_t>(operand.offset);
  if (const auto local = locals_.find(operand.name); local != locals_.end())
    return preset(Preset::kLocalAddress, width, local->second + addend);
  if (const auto own = context_.shared.function_offsets.find({&function_, operand.name});
      own != context_.shared.function_offsets.end())
    return constant(width, own->second + addend);
  if (const auto shared = context_.shared.module_offsets.find(operand.name);
      shared != context_.shared.module_offsets.end())
    return constant(width, shared->second + addend);
  if (index_ == 0)
    if (const auto param = params_.find(operand.name); param != params_.end() && is_formal(operand.name))
      return constant(width, context_.linkage.param_block + param->second.offset + addend);
  if (const uint64_t address = context_.linkage.variable_address(operand.name))
    return constant(width, address + addend);
  if (const Function* f = context_.linkage.find_function(operand.name)) {
    if (f->is_extern) throw not_defined("function", operand.name);
    return constant(width, kFunctionWindow + 16 * context_.linkage.function_id(operand.name));
  }
  for (const Variable& v : context_.module.variables)
    if (v.name == operand.name) throw not_defined("variable", operand.name);
  throw Unsupported("the address of '" + operand.name + "' is not known here");
}

bool FunctionDecoder::is_formal(const std::string& name) const {
  return std::any_of(function_.params.begin(), function_.params.end(),
                     [&](const Variable& v) { return v.name == name; });
}

uint32_t FunctionDecoder::predicate(const Statement& s, const Operand& operand) {
  uint32_t offset = 0;
  if (operand.kind == Operand::kInteger) {
    offset = constant(Width::kPred, operand.bits ? kFullMask : 0);
  } else if (operand.name == "%is_explicit_cluster") {
    offset = constant(Width::kPred, 0);
  } else {
    Register* r = find_register(operand.name);
    if (!r || r->type != Type::kPred) throw PtxError(s.location.ptx_line, "'" + operand.name + "' is no predicate");
    offset = r->offset;
  }
  if (!operand.negated) return offset;
  const uint32_t inverse = allocate(Width::kPred);
  emit_alu(s, not_predicate, inverse, offset);
  program_.code.back().uncounted = true;
  return inverse;
}

// A register of another width than the instruction's would be read or written past its end.
void FunctionDecoder::check_width(const Statement& s, const Operand& operand, Width wanted) {
  const Width width = width_of_operand(operand);
  if (width != Width::kNone && wanted != Width::kNone && width != wanted)
    throw PtxError(s.location.ptx_line,
                   s.full_name() + ": the register '" + operand.name + "' has another width than the instruction");
}

// A width of kNone accepts any register.
uint32_t FunctionDecoder::source(const Statement& s, const Operand& operand, Width width, Type literal) {
  check_width(s, operand, width);
  switch (operand.kind) {
    case Operand::kRegister: {
      if (const auto special = find_special(operand.name)) {
        if (is_dynamic(*special)) throw Unsupported("'" + operand.name + "' can only be read by mov");
        return preset(Preset::kSpecial, special_width(*special), static_cast<uint64_t>(*special));
      }
      if (width == Width::kPred) return predicate(s, operand);
      if (Register* r = find_register(operand.name)) return r->offset;
      throw operand.name[0] == '%' ? Unsupported("the register '" + operand.name + "' is not known")
                                   : Unsupported("'" + operand.name + "' is not declared");
    }
    case Operand::kInteger:
    case Operand::kFloat:
    case Operand::kDouble:
      if (width == Width::kPred) return predicate(s, operand);
      return constant(width, immediate_bits(operand, literal));
    case Operand::kSymbol:
      if (operand.name == "WARP_SZ") return constant(width, kWarpSize);
      return symbol(operand, width);
    default: throw Unsupported("an operand of this form is not supported here");
  }
}

uint32_t FunctionDecoder::destination(const Statement& s, const Operand& operand, Width width) {
  if (operand.kind == Operand::kSink) return 0;
  check_width(s, operand, width);
  Register* r = operand.kind == Operand::kRegister ? find_register(operand.name) : nullptr;
  if (!r) throw Unsupported("the destination '" + operand.name + "' is no register");
  return r->offset;
}

// ---- arithmetic ----

void FunctionDecoder::decode_alu(const Statement& s) {
  std::array<Width, 6> widths{};
  for (size_t i = 0; i < std::min(widths.size(), s.operands.size()); ++i) widths[i] = width_of_operand(s.operands[i]);
  const std::optional<AluChoice> choice = select_alu(s, widths);
  if (!choice) throw Unsupported("the instruction is not supported");
  const size_t first = s.dual_destination ? 2 : 1;
  std::array<uint32_t, 4> sources{};
  size_t next = 0;
  for (size_t i = first; i < s.operands.size() && next < sources.size(); ++i) {
    if (static_cast<int>(i - first) == choice->folded_source) continue;  // lop3's table is in modes
    const Width wanted = choice->sources[next];
    if (wanted != Width::kNone) sources[next] = source(s, s.operands[i], wanted, choice->source_types[next]);
    ++next;
  }
  if (next < sources.size() && choice->sources[next] != Width::kNone)
    throw PtxError(s.location.ptx_line, s.full_name() + ": an operand is missing");
  uint32_t d = destination(s, s.operands.at(0), choice->d);
  if (d == 0) d = allocate(choice->d);  // "_": computed and forgotten
  const uint32_t d2 = s.dual_destination ? destination(s, s.operands.at(1), Width::kPred) : 0;
  Instruction& in = emit(s, Kind::kAlu);
  in.alu = choice->handler;
  in.d = d;
  in.d2 = d2;
  in.a = sources[0], in.b = sources[1], in.c = sources[2], in.e = sources[3];
  in.modes = choice->modes;
}

void FunctionDecoder::decode_mov(const Statement& s) {
  if (s.operands.at(0).kind == Operand::kVector || s.operands.at(1).kind == Operand::kVector) return decode_pack(s);
  const Operand& from = s.operands[1];
  if (from.kind == Operand::kRegister) {
    const auto special = find_special(from.name);
    if (special && is_dynamic(*special)) return decode_read_special(s, *special);
  }
  decode_alu(s);
}

void FunctionDecoder::decode_pack(const Statement& s) {
  const bool to_whole = s.operands[1].kind == Operand::kVector;
  const Operand& vector = s.operands[to_whole ? 1 : 0];
  const Operand& whole = s.operands[to_whole ? 0 : 1];
  if (s.modifiers().empty() || vector.elements.empty()) throw Unsupported("this form of mov is not supported");
  const Width whole_width = width_of(type_from_name(s.modifiers().back()));
  const uint32_t bytes = width_bytes(whole_width) / static_cast<uint32_t>(vector.elements.size());
  const Width piece = bytes == 64 ? Width::k16 : bytes == 128 ? Width::k32 : Width::k64;
  const AluHandler handler = select_pack(whole_width, piece, to_whole);
  if (!handler) throw Unsupported("a vector of this size is not supported");
  const uint32_t whole_register =
      to_whole ? destination(s, whole, whole_width) : source(s, whole, whole_width, Type::kNone);
  bool counted = true;
  for (uint32_t i = 0; i < vector.elements.size(); ++i) {
    const Operand& element = vector.elements[i];
    if (element.kind == Operand::kSink) continue;
    const uint32_t r = to_whole ? source(s, element, piece, Type::kNone) : destination(s, element, piece);
    emit_alu(s, handler, to_whole ? whole_register : r, to_whole ? r : whole_register, 0, i);
    program_.code.back().uncounted = !std::exchange(counted, false);
  }
}

static uint64_t window_of(const Statement& s) {
  if (s.has("shared") || s.has("shared::cta") || s.has("shared::cluster")) return kSharedWindow;
  if (s.has("local")) return kLocalWindow;
  return 0;
}

void FunctionDecoder::decode_cvta(const Statement& s) {
  const bool to_space = s.has("to");
  const uint64_t window = window_of(s);
  const uint32_t a = source(s, s.operands.at(1), Width::k64, Type::kU64);
  const uint32_t d = destination(s, s.operands[0], Width::k64);
  if (window == 0) return emit_alu(s, arithmetic("mov", "b64"), d, a);
  emit_alu(s, arithmetic("add", "u64"), d, a, constant(Width::k64, to_space ? -window : window));
}

// Constants and the kernel's parameters lie among the other variables: a range for each. Constants are not global, but
// parameters are both, on an H200 as here.
void FunctionDecoder::decode_isspacep(const Statement& s) {
  const uint32_t a = source(s, s.operands.at(1), Width::k64, Type::kU64);
  const uint32_t d = destination(s, s.operands[0], Width::kPred);
  bool counted = true;
  const auto range = [&](uint64_t start, uint64_t bytes, IfInside then) {
    const uint32_t b = constant(Width::k64, start), c = constant(Width::k64, bytes);
    emit_alu(s, in_range, d, a, b, static_cast<uint32_t>(then));
    program_.code.back().c = c;
    program_.code.back().uncounted = !std::exchange(counted, false);
  };
  const bool is_global = s.has("global"), is_constant = s.has("const");
  const bool is_param = s.has("param") || s.has("param::entry");
  const uint64_t window = window_of(s);
  if (!is_global && !is_constant && !is_param && window == 0) throw Unsupported("this space has no addresses here");
  range(window, is_global ? kSharedWindow : window ? kWindowBytes : 0, IfInside::kReplace);
  if (is_global || is_constant)
    for (const Variable& v : context_.module.variables)
      if (v.space == Space::kConst && !v.is_extern)
        range(context_.linkage.variable_address(v.name), v.bytes, is_global ? IfInside::kClear : IfInside::kSet);
  if (is_param) range(context_.linkage.param_block, kParamBytes, IfInside::kSet);
}

// alloca.type d, bytes {, alignment}
void FunctionDecoder::decode_allocate(const Statement& s) {
  if (!s.has("u64")) throw Unsupported("local memory is allocated with 64-bit sizes only");
  const uint32_t bytes = source(s, s.operands.at(1), Width::k64, Type::kU64);
  const uint32_t d = destination(s, s.operands[0], Width::k64);
  Instruction& in = emit(s, Kind::kAllocate);
  in.d = d ? d : allocate(Width::k64);
  in.a = bytes;
  in.immediate = s.operands.size() > 2 && s.operands[2].bits ? static_cast<uint32_t>(s.operands[2].bits) : 8;
  program_.calls_unknown = true;  // the thread needs a real stack
}

void FunctionDecoder::decode(const Statement& s, uint32_t reconvergence) {
  static const std::set<std::string> nothing = {"prefetch",      "prefetchu",  "griddepcontrol", "discard",
                                                "applypriority", "setmaxnreg", "pmevent"};
  const std::string& op = s.opcode();
  if (op == "mov")
    decode_mov(s);
  else if (op == "cvta")
    decode_cvta(s);
  else if (op == "isspacep")
    decode_isspacep(s);
  else if (op == "ld" || op == "ldu")
    decode_memory(s, MemoryOp::kLoad);
  else if (op == "st")
    decode_memory(s, MemoryOp::kStore);
  else if (op == "atom")
    decode_memory(s, MemoryOp::kAtomic);
  else if (op == "red")
    decode_memory(s, MemoryOp::kReduction);
  else if (op == "bra" || op == "brx")
    decode_branch(s, reconvergence);
  else if (op == "call")
    decode_call(s);
  else if (op == "ret")
    emit(s, index_ == 0 ? Kind::kExit : Kind::kReturn);
  else if (op == "exit")
    emit(s, Kind::kExit);
  else if (op == "bar" && s.has("warp"))
    decode_warp_barrier(s);
  else if (op == "membar" || op == "fence")
    decode_fence(s);
  else if (op == "mapa" || op == "getctarank" || (op == "barrier" && s.has("cluster")))
    decode_cluster(s);
  else if (op == "cp")
    decode_async(s);
  else if (op == "mbarrier")
    decode_mbarrier(s);
  else if (op == "bar" || op == "barrier")
    decode_barrier(s);
  else if (op == "shfl" || op == "vote" || op == "match" || op == "redux" || op == "elect")
    decode_collective(s);
  else if (op == "activemask")
    decode_read_special(s, Special::kActiveMask);
  else if (op == "nanosleep")
    emit(s, Kind::kYield);
  else if (op == "trap" || op == "brkpt")
    emit(s, Kind::kTrap);
  else if (op == "alloca")
    decode_allocate(s);
  else if (op == "createpolicy")  // a hint for the cache, which is not there
    emit_alu(s, arithmetic("mov", "b64"), destination(s, s.operands.at(0), Width::k64), constant(Width::k64, 0));
  else if (nothing.contains(op))
    emit(s, Kind::kNothing);
  else
    decode_alu(s);
}

}  // namespace lockstep
