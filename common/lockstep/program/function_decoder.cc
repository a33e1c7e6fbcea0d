#include "program/function_decoder.h"

#include <algorithm>
#include <bit>
#include <stdexcept>

#include "base/words.h"
#include "program/control_flow.h"
#include "program/opcodes.h"
#include "program/special_registers.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

// p = !a, for all lanes.
void not_predicate(std::byte* registers, const AluOperands& in, Mask) {
  *lanes<Mask>(registers, in.d) = ~*lanes<Mask>(registers, in.a);
}

uint64_t immediate_bits(const Operand& operand, Type literal) {
  if (operand.kind == Operand::kDouble && literal == Type::kF32)
    return std::bit_cast<uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits)));
  if (operand.kind == Operand::kFloat && literal == Type::kF64)
    return std::bit_cast<uint64_t>(static_cast<double>(std::bit_cast<float>(static_cast<uint32_t>(operand.bits))));
  return operand.bits;
}

}  // namespace

Space space_of(const std::string& m) {
  if (m == "global") return Space::kGlobal;
  if (m == "shared" || m == "shared::cta" || m == "shared::cluster") return Space::kShared;
  if (m == "local") return Space::kLocal;
  if (m == "const") return Space::kConst;
  if (m == "param" || m == "param::entry" || m == "param::func") return Space::kParam;
  return Space::kGeneric;
}

FunctionDecoder::FunctionDecoder(DecodeContext& context, const Function& function, uint32_t index)
    : context_(context),
      function_(function),
      program_(context.program),
      index_(index),
      registers_(function, program_.functions[index]),
      variables_(lay_out_variables(function, is_kernel(), program_.functions[index])),
      contractions_(contractions(function)) {}

void FunctionDecoder::run() {
  FunctionCode& code = program_.functions[index_];
  code.name = function_.name;
  code.entry = static_cast<uint32_t>(program_.code.size());
  for (const Statement& s : function_.body) note_reads(s);
  const std::vector<uint32_t> points = reconvergence_points(function_);
  std::vector<bool> meets(function_.body.size() + 1, false);
  for (const uint32_t p : points)
    if (p != kNowhere) meets[p] = true;
  const std::vector<bool> early = early_meetings(function_);
  for (uint32_t i = 0; i < function_.body.size(); ++i) {
    const Statement& s = function_.body[i];
    statement_pc_.push_back(static_cast<uint32_t>(program_.code.size()));
    if (meets[i] || early[i]) emit(s, Kind::kJoin).index = early[i];
    if (!s.label.empty()) {
      labels_[s.label] = statement_pc_.back();
      continue;
    }
    decode_or_refuse(i, points[i]);
  }
  Statement end;
  end.set_name(is_kernel() ? "exit" : "ret");
  emit(end, is_kernel() ? Kind::kExit : Kind::kReturn);
  resolve_labels();
}

void FunctionDecoder::note_reads(const Statement& s) {
  const Opcode* opcode = find_opcode(s.full_name());
  const Operands roles = opcode ? opcode->operands : Operands::kResultFirst;
  const size_t destinations = roles != Operands::kResultFirst ? 0 : s.dual_destination ? 2 : 1;
  for (size_t i = 0; i < s.operands.size(); ++i) {
    const bool is_address = s.operands[i].kind == Operand::kAddress;
    if (i < destinations && !is_address) continue;
    for_each_name(s.operands[i], Operand::kRegister, [&](const std::string& name) {
      read_registers_.insert(name);
      if (is_address || roles != Operands::kStore) used_registers_.insert(name);
    });
  }
}

void FunctionDecoder::decode(const Statement& s) {
  const Opcode* opcode = find_opcode(s.full_name());
  if (!opcode) throw Unsupported(words("the instruction is not supported"));
  opcode->decode(*this, s, *opcode);
}

void FunctionDecoder::decode_or_refuse(uint32_t statement, uint32_t meeting) {
  const Statement& s = function_.body[statement];
  try {
    if (contractions_.keep_factors.contains(statement)) keep_factors(statement);
    if (const auto found = contractions_.of.find(statement); found != contractions_.of.end())
      decode_contracted(s, found->second);
    else
      decode(s);
    if (meeting != kNowhere) meetings_.emplace_back(last_pc(), meeting);
  } catch (const Unsupported& error) {
    if (program_.refusal.message.empty()) program_.refusal = {error.what(), s.full_name(), s.location};
  } catch (const std::out_of_range&) { throw operand_is_missing(s); }
}

void FunctionDecoder::resolve_labels() {
  for (const auto& [pc, label] : branches_) program_.code[pc].target = labels_.at(label);
  for (const auto& [pc, statement] : meetings_) program_.code[pc].meeting = statement_pc_[statement];
  for (const auto& [table, names] : tables_)
    for (const std::string& name : names) program_.tables[table].push_back(labels_.at(name));
}

Instruction& FunctionDecoder::emit(const Statement& s, Kind kind) {
  Instruction in;
  in.kind = kind;
  in.uncounted = kind == Kind::kJoin;
  if (!s.guard.empty() && kind != Kind::kJoin) {
    const Register* guard = registers_.find(s.guard);
    if (!guard) throw PtxError(s.location.ptx_line, words("no predicate '{name}'", {{"name", s.guard}}));
    in.guard = guard->offset;
    in.guard_negated = s.guard_negated;
  }
  program_.code.push_back(in);
  program_.locations.push_back(s.location);
  program_.names.push_back(s.full_name());
  return program_.code.back();
}

Instruction& FunctionDecoder::emit_alu(const Statement& s, AluHandler handler, const AluOperands& operands) {
  Instruction& in = emit(s, Kind::kAlu);
  in.alu = handler;
  static_cast<AluOperands&>(in) = operands;
  return in;
}

void FunctionDecoder::read_special(const Statement& s, Special special) {
  const uint32_t d = destination(s, 0, special_width(special));
  Instruction& in = emit(s, Kind::kReadSpecial);
  in.d = d;
  in.special = special;
}

void FunctionDecoder::add_access(MemoryAccess& access) {
  access.pc = last_pc();
  access.index = static_cast<uint32_t>(program_.accesses.size());
  program_.accesses.push_back(access);
}

// Where the shared variable lies, if it is one.
std::optional<uint64_t> FunctionDecoder::shared_offset(const std::string& name) const {
  const SharedLayout& shared = context_.shared;
  if (const auto own = shared.function_offsets.find({&function_, name}); own != shared.function_offsets.end())
    return own->second;
  if (const auto one = shared.module_offsets.find(name); one != shared.module_offsets.end()) return one->second;
  return std::nullopt;
}

// 1 if it is declared elsewhere.
static uint32_t alignment_of(const std::string& name, const std::vector<Variable>& variables) {
  const auto found = std::ranges::find(variables, name, &Variable::name);
  return found == variables.end() ? 1 : std::max<uint32_t>(found->align, 1);
}

// A register that holds the address of a variable or function.
uint32_t FunctionDecoder::symbol(const Operand& operand, Width width) {
  const auto addend = static_cast<uint64_t>(operand.offset);
  if (const auto local = variables_.locals.find(operand.name); local != variables_.locals.end())
    return registers_.preset(Preset::kLocalAddress, width, local->second + addend, local->second,
                             alignment_of(operand.name, function_.variables));
  if (const auto shared = shared_offset(operand.name)) return registers_.constant(width, *shared + addend);
  if (is_kernel())
    if (const auto param = variables_.params.find(operand.name);
        param != variables_.params.end() && is_formal(operand.name)) {
      const uint64_t block = context_.symbols.param_block;
      return registers_.preset(Preset::kBits, width, block + param->second.offset + addend, block, kParamAlignment);
    }
  if (const uint64_t address = context_.symbols.variable_address(operand.name))
    return registers_.preset(Preset::kBits, width, address + addend, address,
                             alignment_of(operand.name, context_.module.variables));
  if (const Function* f = context_.symbols.find_function(operand.name)) {
    if (f->is_extern) throw not_defined(true, operand.name);
    const uint64_t address = kFunctionWindow + kFunctionAlignment * context_.symbols.function_id(operand.name);
    return registers_.preset(Preset::kBits, width, address, address, kFunctionAlignment);
  }
  for (const Variable& v : context_.module.variables)
    if (v.name == operand.name) throw not_defined(false, operand.name);
  throw Unsupported(words("the address of '{name}' is not known here", {{"name", operand.name}}));
}

bool FunctionDecoder::is_formal(const std::string& name) const {
  return std::ranges::find(function_.params, name, &Variable::name) != function_.params.end();
}

uint32_t FunctionDecoder::predicate(const Statement& s, const Operand& operand) {
  uint32_t offset = 0;
  if (operand.kind == Operand::kInteger) {
    offset = registers_.constant(Width::kPred, operand.bits ? kFullMask : 0);
  } else if (operand.name == "%is_explicit_cluster") {
    offset = registers_.constant(Width::kPred, 0);
  } else {
    const Register* r = registers_.find(operand.name);
    if (!r || r->type != Type::kPred)
      throw PtxError(s.location.ptx_line, words("'{name}' is not a predicate", {{"name", operand.name}}));
    offset = r->offset;
  }
  if (!operand.negated) return offset;
  const uint32_t inverse = registers_.allocate(Width::kPred);
  emit_alu(s, not_predicate, {.d = inverse, .a = offset}).uncounted = true;
  return inverse;
}

// Refuses a register of another width. In a narrower one the instruction would read or write past the end.
void FunctionDecoder::check_width(const Statement& s, const Operand& operand, Width wanted) {
  const Width width = registers_.width_of(operand);
  if (width != Width::kNone && wanted != Width::kNone && width != wanted)
    throw PtxError(s.location.ptx_line,
                   words("{instruction}: the register '{name}' has another width than the instruction",
                         {{"instruction", s.full_name()}, {"name", operand.name}}));
}

uint32_t FunctionDecoder::source(const Statement& s, const Operand& operand, Width width, Type literal) {
  check_width(s, operand, width);
  switch (operand.kind) {
    case Operand::kRegister: {
      if (const auto special = find_special(operand.name)) {
        if (is_dynamic(*special))
          throw Unsupported(words("'{name}' can only be read by mov", {{"name", operand.name}}));
        return registers_.preset(Preset::kSpecial, special_width(*special), static_cast<uint64_t>(*special));
      }
      if (width == Width::kPred) return predicate(s, operand);
      if (const Register* r = registers_.find(operand.name)) return r->offset;
      throw operand.name[0] == '%' ? Unsupported(words("the register '{name}' is not known", {{"name", operand.name}}))
                                   : Unsupported(words("'{name}' is not declared", {{"name", operand.name}}));
    }
    case Operand::kInteger:
    case Operand::kFloat:
    case Operand::kDouble:
      if (width == Width::kPred) return predicate(s, operand);
      return registers_.constant(width, immediate_bits(operand, literal));
    case Operand::kSymbol:
      if (operand.name == "WARP_SZ") return registers_.constant(width, kWarpSize);
      return symbol(operand, width);
    default: throw Unsupported(words("an operand of this form is not supported here"));
  }
}

uint32_t FunctionDecoder::destination(const Statement& s, size_t operand, Width width) {
  return destination(s, s.operands.at(operand), width);
}

uint32_t FunctionDecoder::destination(const Statement& s, const Operand& operand, Width width) {
  if (operand.kind == Operand::kSink) return 0;
  check_width(s, operand, width);
  const Register* r = operand.kind == Operand::kRegister ? registers_.find(operand.name) : nullptr;
  if (!r) throw Unsupported(words("the destination '{name}' is not a register", {{"name", operand.name}}));
  return r->offset;
}

ParamSlot FunctionDecoder::param_slot(const std::string& name) const {
  const auto found = variables_.params.find(name);
  if (found == variables_.params.end())
    throw Unsupported(words("the parameter '{name}' is not known here", {{"name", name}}));
  return found->second;
}

void FunctionDecoder::set_address(MemoryAccess& access, const Statement& s, size_t operand) {
  const Operand& address = s.operands.at(operand);
  if (address.kind != Operand::kAddress) throw PtxError(s.location.ptx_line, words("an address is expected"));
  const Operand& base = address.elements[0];
  access.offset = address.offset;
  if (base.kind == Operand::kInteger) {
    access.offset += static_cast<int64_t>(base.bits);
  } else if (base.kind == Operand::kSymbol && access.space == Space::kParam) {
    access.offset += param_slot(base.name).offset;
    const bool kernel_parameter = is_kernel() && is_formal(base.name);
    if (kernel_parameter) access.offset += static_cast<int64_t>(context_.symbols.param_block);
    access.space = kernel_parameter ? Space::kConst : Space::kParam;
  } else if (const auto shared = shared_offset(base.name); shared && access.space == Space::kShared) {
    access.offset += static_cast<int64_t>(*shared);
    access.wide_base = true;
    access.base = registers_.constant(Width::k64, 0);  // the same for all variables: they may be neighbours
  } else {
    access.wide_base = base.kind == Operand::kSymbol || registers_.width_of(base) == Width::k64;
    access.base = source(s, base, access.wide_base ? Width::k64 : Width::k32);
    if (access.space == Space::kParam) access.space = Space::kConst;  // a kernel's parameter through its address
  }
}

}  // namespace lockstep
