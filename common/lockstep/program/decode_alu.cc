// decode_alu: arithmetic, and the instructions that become arithmetic: moves, vectors of registers, address
// conversions.
#include <algorithm>
#include <array>
#include <utility>

#include "base/words.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"
#include "program/special_registers.h"
#include "ptx/lexer.h"

namespace lockstep {
namespace {

// The handler of the arithmetic that does an address conversion.
AluHandler arithmetic(const char* opcode, const char* type) {
  Statement s;
  s.set_name(std::string(opcode) + "." + type);
  s.operands.resize(3);
  return select_alu(s, {Width::k64, Width::k64, Width::k64})->handler;
}

// For each lane: does its generic address lie in [b, b + c)? kReplace writes the answer into d. kSet and kClear change
// d only in lanes whose address lies inside.
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

// d = one piece of a. modes holds the number of the piece.
template <class Piece, int pieces>
void unpack(std::byte* registers, const AluOperands& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  for (int l = 0; l < kWarpSize; ++l) d[l] = mask >> l & 1 ? a[l * pieces + in.modes] : d[l];
}

// One piece of d = a. modes holds the number of the piece.
template <class Piece, int pieces>
void pack(std::byte* registers, const AluOperands& in, Mask mask) {
  auto* d = lanes<Piece>(registers, in.d);
  const auto* a = lanes<Piece>(registers, in.a);
  for (int l = 0; l < kWarpSize; ++l)
    if (mask >> l & 1) d[l * pieces + in.modes] = a[l];
}

// One row for each division of a register that PTX has.
struct Division {
  Width whole, piece;
  size_t pieces;
  AluHandler pack, unpack;
};
constexpr Division kDivisions[] = {
    {Width::k32, Width::k16, 2, pack<uint16_t, 2>, unpack<uint16_t, 2>},
    {Width::k64, Width::k16, 4, pack<uint16_t, 4>, unpack<uint16_t, 4>},
    {Width::k64, Width::k32, 2, pack<uint32_t, 2>, unpack<uint32_t, 2>},
    {Width::k128, Width::k64, 2, pack<uint64_t, 2>, unpack<uint64_t, 2>},
    {Width::k128, Width::k32, 4, pack<uint32_t, 4>, unpack<uint32_t, 4>},
};

// mov between a register and the vector of its pieces: one instruction for each piece.
void decode_vector_mov(FunctionDecoder& f, const Statement& s) {
  const bool to_whole = s.operands[1].kind == Operand::kVector;
  const Operand& vector = s.operands[to_whole ? 1 : 0];
  const Operand& whole = s.operands[to_whole ? 0 : 1];
  if (s.modifiers().empty() || vector.elements.empty()) throw Unsupported(words("this form of mov is not supported"));
  const Width whole_width = width_of(type_from_name(s.modifiers().back()));
  const Division* division = std::ranges::find_if(kDivisions, [&](const Division& row) {
    return row.whole == whole_width && row.pieces == vector.elements.size();
  });
  if (division == std::end(kDivisions)) throw Unsupported(words("a vector of this size is not supported"));
  const uint32_t w = to_whole ? f.destination(s, whole, whole_width) : f.source(s, whole, whole_width);
  bool counted = true;
  for (uint32_t i = 0; i < vector.elements.size(); ++i) {
    const Operand& element = vector.elements[i];
    if (element.kind == Operand::kSink) continue;
    const uint32_t p = to_whole ? f.source(s, element, division->piece) : f.destination(s, element, division->piece);
    const AluOperands operands{.d = to_whole ? w : p, .a = to_whole ? p : w, .modes = i};
    f.emit_alu(s, to_whole ? division->pack : division->unpack, operands).uncounted = !std::exchange(counted, false);
  }
}

uint64_t window_of(const Statement& s) {
  if (s.has("shared") || s.has("shared::cta") || s.has("shared::cluster")) return kSharedWindow;
  return s.has("local") ? kLocalWindow : 0;
}

// Each block is a cluster of its own. So the value in another block of the cluster is the value in this block, and a
// mov gives it.
void decode_as_mov(FunctionDecoder& f, const Statement& s, const std::string& type, const Operand& from) {
  Statement move = s;
  move.set_name("mov." + type);
  move.operands.resize(2);
  move.operands[1] = from;
  f.decode(move);
}

}  // namespace

void decode_alu(FunctionDecoder& f, const Statement& s, const Opcode&) {
  std::array<Width, 6> widths{};
  for (size_t i = 0; i < std::min(widths.size(), s.operands.size()); ++i)
    widths[i] = f.registers().width_of(s.operands[i]);
  const std::optional<AluChoice> choice = select_alu(s, widths);
  if (!choice) throw Unsupported(words("the instruction is not supported"));
  const size_t first = s.dual_destination ? 2 : 1;
  std::array<uint32_t, 4> sources{};
  size_t next = 0;
  for (size_t i = first; i < s.operands.size() && next < sources.size(); ++i) {
    if (static_cast<int>(i - first) == choice->folded_source) continue;  // lop3's table is in modes
    const Width wanted = choice->sources[next];
    if (wanted != Width::kNone) sources[next] = f.source(s, s.operands[i], wanted, choice->source_types[next]);
    ++next;
  }
  if (next < sources.size() && choice->sources[next] != Width::kNone) throw operand_is_missing(s);
  uint32_t d = f.destination(s, 0, choice->d);
  if (d == 0) d = f.registers().allocate(choice->d);  // "_": the result is discarded
  const uint32_t d2 = s.dual_destination ? f.destination(s, 1, Width::kPred) : 0;
  const auto [a, b, c, e] = sources;
  f.emit_alu(s, choice->handler, {d, d2, a, b, c, e, choice->modes});
}

void decode_mov(FunctionDecoder& f, const Statement& s, const Opcode& opcode) {
  const Operand &to = s.operands.at(0), &from = s.operands.at(1);
  if (to.kind == Operand::kVector || from.kind == Operand::kVector) return decode_vector_mov(f, s);
  if (from.kind == Operand::kRegister)
    if (const auto special = find_special(from.name); special && is_dynamic(*special))
      return f.read_special(s, *special);
  decode_alu(f, s, opcode);
}

void decode_cvta(FunctionDecoder& f, const Statement& s, const Opcode&) {
  const uint64_t window = window_of(s);
  const uint32_t a = f.double_word(s, 1);
  const uint32_t d = f.destination(s, 0, Width::k64);
  if (window == 0) {
    f.emit_alu(s, arithmetic("mov", "b64"), {.d = d, .a = a});
  } else {
    const uint32_t b = f.registers().constant(Width::k64, s.has("to") ? -window : window);
    f.emit_alu(s, arithmetic("add", "u64"), {.d = d, .a = a, .b = b});
  }
}

// Constants and the kernel's parameters lie among the other variables, each kind in a range of its own. A constant's
// address is not global. A parameter's address is both a parameter's and global, on an H200 as here.
void decode_isspacep(FunctionDecoder& f, const Statement& s, const Opcode&) {
  const uint32_t a = f.double_word(s, 1);
  const uint32_t d = f.destination(s, 0, Width::kPred);
  const Symbols& symbols = f.context().symbols;
  bool counted = true;
  const auto range = [&](uint64_t start, uint64_t bytes, IfInside then) {
    const uint32_t b = f.registers().constant(Width::k64, start), c = f.registers().constant(Width::k64, bytes);
    const AluOperands operands{.d = d, .a = a, .b = b, .c = c, .modes = static_cast<uint32_t>(then)};
    f.emit_alu(s, in_range, operands).uncounted = !std::exchange(counted, false);
  };
  const bool is_global = s.has("global"), is_constant = s.has("const");
  const bool is_param = s.has("param") || s.has("param::entry");
  const uint64_t window = window_of(s);
  if (!is_global && !is_constant && !is_param && window == 0)
    throw Unsupported(words("this space has no addresses here"));
  range(window, is_global ? kSharedWindow : window ? kWindowBytes : 0, IfInside::kReplace);
  if (is_global || is_constant)
    for (const Variable& v : f.context().module.variables)
      if (v.space == Space::kConst && !v.is_extern)
        range(symbols.variable_address(v.name), v.bytes, is_global ? IfInside::kClear : IfInside::kSet);
  if (is_param) range(symbols.param_block, kParamBytes, IfInside::kSet);
}

// The policy is a hint for the cache, and lockstep has no cache.
void decode_createpolicy(FunctionDecoder& f, const Statement& s, const Opcode&) {
  const uint32_t zero = f.registers().constant(Width::k64, 0);
  f.emit_alu(s, arithmetic("mov", "b64"), {.d = f.destination(s, 0, Width::k64), .a = zero});
}

void decode_mapa(FunctionDecoder& f, const Statement& s, const Opcode&) {  // mapa d, a, rank
  decode_as_mov(f, s, s.modifiers().empty() ? "" : s.modifiers().back(), s.operands.at(1));
}

void decode_getctarank(FunctionDecoder& f, const Statement& s, const Opcode&) {  // getctarank d, a
  Operand zero;
  zero.kind = Operand::kInteger;
  decode_as_mov(f, s, "u32", zero);
}

}  // namespace lockstep
