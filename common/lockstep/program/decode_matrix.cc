// decode_matrix: wmma, mma, ldmatrix and stmatrix → MatrixUse. The shapes that are not listed here are refused.
#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/words.h"
#include "program/function_decoder.h"
#include "program/opcodes.h"

namespace lockstep {
namespace {

struct Shape {
  uint8_t m = 0, n = 0, k = 0;
  bool operator==(const Shape&) const = default;
};

// The types of A's elements and the shapes that have them. Integers are all alike.
struct Family {
  Type type;
  std::vector<Shape> wmma, mma;
};
const std::vector<Shape> kWide = {{16, 16, 16}, {32, 8, 16}, {8, 32, 16}};
const Family kFamilies[] = {{Type::kF16, kWide, {{16, 8, 8}, {16, 8, 16}}},
                            {Type::kBf16, kWide, {{16, 8, 8}, {16, 8, 16}}},
                            {Type::kTf32, {{16, 16, 8}}, {{16, 8, 4}, {16, 8, 8}}},
                            {Type::kF64, {{8, 8, 4}}, {{8, 8, 4}, {16, 8, 4}, {16, 8, 8}, {16, 8, 16}}},
                            {Type::kS8, kWide, {{8, 8, 16}, {16, 8, 16}, {16, 8, 32}}}};

// Registers of a fragment of wmma whose elements are there twice or four times.
constexpr uint32_t kHalvesOfWmma = 8;

bool is_byte(Type type) { return type == Type::kS8 || type == Type::kU8; }

// "m16n8k16"
std::optional<Shape> shape_of(const std::string& modifier) {
  Shape shape;
  if (!modifier.starts_with("m")) return std::nullopt;
  size_t at = 0;
  for (uint8_t* const number : {&shape.m, &shape.n, &shape.k}) {
    if (at >= modifier.size() || modifier[at] != "mnk"[number - &shape.m]) return std::nullopt;
    uint32_t value = 0;
    for (++at; at < modifier.size() && modifier[at] >= '0' && modifier[at] <= '9' && value < 256; ++at)
      value = 10 * value + static_cast<uint32_t>(modifier[at] - '0');
    if (value > 255) return std::nullopt;
    *number = static_cast<uint8_t>(value);
  }
  return at == modifier.size() ? std::optional(shape) : std::nullopt;
}

// What the modifiers say: the shape, the types in their order, and how the matrices lie in memory.
struct Named {
  Shape shape;
  std::vector<Type> types;
  bool by_column = false;  // a matrix in memory; of mma: A or B
  bool saturates = false;
};

Named named(const Statement& s, size_t known, std::initializer_list<std::string_view> accepted) {
  Named result;
  for (size_t i = known; i < s.modifiers().size(); ++i) {
    const std::string& m = s.modifiers()[i];
    if (const auto shape = shape_of(m))
      result.shape = *shape;
    else if (const Type type = type_from_name(m); type != Type::kNone)
      result.types.push_back(type);
    else if (m == "satfinite")
      result.saturates = true;
    else if (space_of(m) == Space::kGeneric && std::ranges::find(accepted, m) == accepted.end())
      throw unsupported_modifier(m);
  }
  result.by_column = s.has("col");
  if (result.shape.m == 0 || result.types.empty())
    throw Unsupported(words("this form of the instruction is not supported"));
  return result;
}

bool is_known(const Shape& shape, Type a, bool of_wmma) {
  const auto* const family = std::ranges::find(kFamilies, is_byte(a) ? Type::kS8 : a, &Family::type);
  if (family == std::end(kFamilies)) return false;
  return std::ranges::count(of_wmma ? family->wmma : family->mma, shape) > 0;
}

// Whether sums of products of such elements have this type.
bool is_sum(Type sum, Type a) {
  if (is_byte(a)) return sum == Type::kS32;
  if (a == Type::kF64) return sum == Type::kF64;
  return sum == Type::kF32 || (sum == Type::kF16 && a == Type::kF16);
}

Fragment fragment(const Shape& shape, Fragment::Role role, Type type, bool of_wmma) {
  Fragment f{.role = role, .type = type, .of_wmma = of_wmma};
  f.rows = role == Fragment::kB ? shape.k : shape.m;
  f.columns = role == Fragment::kA ? shape.k : shape.n;
  const uint32_t count = uint32_t{f.rows} * f.columns / (kWarpSize * f.in_register());
  const bool repeated = of_wmma && type == Type::kF16 && role != Fragment::kC;
  f.count = static_cast<uint8_t>(repeated ? kHalvesOfWmma : count);
  place_elements(f);
  return f;
}

void set_registers(FunctionDecoder& f, const Statement& s, const Operand& list, bool is_destination, Fragment& to) {
  const Width width = type_bytes(to.type) == 8 ? Width::k64 : Width::k32;
  const std::vector<Operand> single{list};
  const auto& registers = list.kind == Operand::kVector ? list.elements : single;
  if (registers.size() != to.count)
    throw Unsupported(words("a fragment has another number of registers than its shape needs"));
  for (size_t i = 0; i < registers.size(); ++i)
    to.registers[i] =
        is_destination ? f.destination(s, registers[i], width) : f.source(s, registers[i], width, to.type);
}

void emit_matrix(FunctionDecoder& f, const Statement& s, MatrixUse use) {
  use.member_mask = f.registers().constant(Width::k32, kFullMask);
  f.emit_use(s, Kind::kMatrix, f.program().matrices, std::move(use));
  MatrixUse& emitted = f.program().matrices.back();
  if (emitted.op != MatrixOp::kMultiply) f.add_access(emitted.access);
}

// The types of d, a, b and c, of which the name may leave out those of a and b: halves.
std::array<Type, 4> four_types(const std::vector<Type>& types) {
  if (types.size() == 2) return {types[0], Type::kF16, Type::kF16, types[1]};
  if (types.size() == 4) return {types[0], types[1], types[2], types[3]};
  throw Unsupported(words("this form of the instruction is not supported"));
}

// d, a, b, c
void decode_product(FunctionDecoder& f, const Statement& s, size_t known, bool of_wmma) {
  const Named name = named(s, known, {"sync", "aligned", "row", "col", "rn"});
  const auto [d, a, b, c] = four_types(name.types);
  const bool alike = a == b || (is_byte(a) && is_byte(b));
  if (!is_known(name.shape, a, of_wmma) || !alike || !is_sum(d, a) || !is_sum(c, a))
    throw Unsupported(words("matrices of this shape and of these types are not supported"));
  MatrixUse use{.op = MatrixOp::kMultiply, .saturates = name.saturates};
  use.a = fragment(name.shape, Fragment::kA, a, of_wmma);
  use.b = fragment(name.shape, Fragment::kB, b, of_wmma);
  use.c = fragment(name.shape, Fragment::kC, c, of_wmma);
  use.d = fragment(name.shape, Fragment::kC, d, of_wmma);
  set_registers(f, s, s.operands.at(0), true, use.d);
  set_registers(f, s, s.operands.at(1), false, use.a);
  set_registers(f, s, s.operands.at(2), false, use.b);
  set_registers(f, s, s.operands.at(3), false, use.c);
  emit_matrix(f, s, std::move(use));
}

MemoryAccess matrix_access(FunctionDecoder& f, const Statement& s, size_t operand, MatrixOp op, uint32_t bytes) {
  MemoryAccess access;
  access.op = op == MatrixOp::kLoad || op == MatrixOp::kLoadRows ? MemoryOp::kLoad : MemoryOp::kStore;
  access.bytes = static_cast<uint8_t>(bytes);
  for (const std::string& m : s.modifiers())
    if (space_of(m) != Space::kGeneric) access.space = space_of(m);
  f.set_address(access, s, operand);
  return access;
}

// wmma.load.{a,b,c} d, [p] {, stride} and wmma.store.d [p], d {, stride}
void decode_move(FunctionDecoder& f, const Statement& s) {
  const bool loads = s.modifiers()[0] == "load";
  const Named name = named(s, 2, {"sync", "aligned", "row", "col"});
  const std::string& what = s.modifiers().at(1);
  const Fragment::Role role = what == "a" ? Fragment::kA : what == "b" ? Fragment::kB : Fragment::kC;
  const Type type = name.types[0];
  const auto supported = [&](Type a) { return is_known(name.shape, a, true); };
  const bool known = role != Fragment::kC ? supported(type) : std::ranges::any_of(kFamilies, [&](const Family& family) {
    return is_sum(type, family.type) && supported(family.type);
  });
  if (!known) throw Unsupported(words("matrices of this shape and of these types are not supported"));
  MatrixUse use{.op = loads ? MatrixOp::kLoad : MatrixOp::kStore, .by_column = name.by_column};
  use.d = fragment(name.shape, role, type, true);
  use.access = matrix_access(f, s, loads ? 1 : 0, use.op, type_bytes(type));
  use.pieces = pieces_of(use.d, use.by_column, use.access.space == Space::kShared);
  use.access.count = static_cast<uint8_t>(use.pieces.bytes / use.access.bytes);
  set_registers(f, s, s.operands.at(loads ? 0 : 1), loads, use.d);
  const uint32_t dense = use.by_column ? use.d.rows : use.d.columns;
  use.stride = s.operands.size() > 2 ? f.word(s, 2) : f.registers().constant(Width::k32, dense);
  emit_matrix(f, s, std::move(use));
}

// ldmatrix d, [p] and stmatrix [p], d: one to four matrices of 8 x 8 elements of 16 bits
void decode_rows(FunctionDecoder& f, const Statement& s, MatrixOp op) {
  const bool loads = op == MatrixOp::kLoadRows;
  if (!s.has("m8n8") || !s.has("b16"))
    throw Unsupported(words("matrices of this shape and of this type are not supported"));
  MatrixUse use{.op = op, .by_column = s.has("trans")};
  use.d = {.type = Type::kF16, .rows = 8, .columns = 8};
  use.d.count = s.has("x4") ? 4 : s.has("x2") ? 2 : 1;
  use.access = matrix_access(f, s, loads ? 1 : 0, op, 16);
  set_registers(f, s, s.operands.at(loads ? 0 : 1), loads, use.d);
  emit_matrix(f, s, std::move(use));
}

}  // namespace

void decode_wmma(FunctionDecoder& f, const Statement& s, const Opcode&) {
  if (s.modifiers().size() > 1 && (s.modifiers()[0] == "load" || s.modifiers()[0] == "store")) return decode_move(f, s);
  if (s.modifiers().empty() || s.modifiers()[0] != "mma") throw Unsupported(words("the instruction is not supported"));
  decode_product(f, s, 1, true);
}

void decode_mma(FunctionDecoder& f, const Statement& s, const Opcode&) { decode_product(f, s, 0, false); }

void decode_ldmatrix(FunctionDecoder& f, const Statement& s, const Opcode&) { decode_rows(f, s, MatrixOp::kLoadRows); }

void decode_stmatrix(FunctionDecoder& f, const Statement& s, const Opcode&) { decode_rows(f, s, MatrixOp::kStoreRows); }

}  // namespace lockstep
