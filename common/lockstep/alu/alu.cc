// alu: opcode and modifiers → handler. Reads the names of modifiers; alu_table has the handlers.

#include "alu/alu.h"

#include <cstdlib>

#include "alu/alu_table.h"
#include "alu/arith_compare.h"

namespace lockstep {

Width width_of(Type type) {
  if (type == Type::kPred) return Width::kPred;
  switch (type_bytes(type)) {
    case 1:
    case 2: return Width::k16;
    case 4: return Width::k32;
    case 8: return Width::k64;
    case 16: return Width::k128;
    default: return Width::kNone;
  }
}

namespace {

using baseline::Combination;
using baseline::Comparison;
using baseline::FloatMode;
using baseline::Rounding;

using Names = std::vector<std::string>;

std::string joined(const std::string& opcode, const Names& modifiers) {
  std::string name = opcode;
  for (const auto& m : modifiers) name += "." + m;
  return name;
}

AluChoice choice_of(AluHandler handler, uint32_t modes, const Signature& signature) {
  AluChoice choice;
  choice.handler = handler;
  choice.modes = modes;
  choice.d = width_of(signature.d);
  for (size_t i = 0; i < 4; ++i) {
    choice.sources[i] = width_of(signature.sources[i]);
    choice.source_types[i] = signature.sources[i];
  }
  return choice;
}

// --- modes --------------------------------------------------------------------------------------------------------

// Adds a floating-point modifier to the mode. Returns the bit of Allowed that the instruction needs for it; 0 if the
// modifier is not a mode.
uint32_t take_mode(const std::string& m, FloatMode& mode) {
  const auto rounding = [&](Rounding r, bool integral) {
    mode.rounding = r, mode.integral = integral;
    return integral ? kIntegral : r == Rounding::kNearest ? kNearest : kDirected;
  };
  if (m == "rn") return rounding(Rounding::kNearest, false);
  if (m == "rz") return rounding(Rounding::kZero, false);
  if (m == "rm") return rounding(Rounding::kDown, false);
  if (m == "rp") return rounding(Rounding::kUp, false);
  if (m == "rna") return rounding(Rounding::kNearestAway, false);
  if (m == "rni") return rounding(Rounding::kNearest, true);
  if (m == "rzi") return rounding(Rounding::kZero, true);
  if (m == "rmi") return rounding(Rounding::kDown, true);
  if (m == "rpi") return rounding(Rounding::kUp, true);
  if (m == "ftz") return mode.ftz = true, kFtz;
  if (m == "sat") return mode.sat = true, kSat;
  if (m == "satfinite") return mode.satfinite = true, kSatfinite;
  if (m == "relu") return mode.relu = true, kRelu;
  if (m == "NaN") return mode.nan = true, kNaN;
  if (m == "xorsign") return mode.xorsign_abs = true, kXorsignAbs;  // always written .xorsign.abs
  if (m == "abs") return mode.abs = true, mode.xorsign_abs ? kXorsignAbs : kAbs;
  return 0;
}

struct Modes {
  FloatMode mode;
  uint32_t needs = 0;
  Names others;  // modifiers that are not modes
};
Modes split_modes(const Names& modifiers) {
  Modes result;
  for (const auto& m : modifiers) {
    const uint32_t needs = take_mode(m, result.mode);
    result.needs |= needs;
    if (needs == 0) result.others.push_back(m);
  }
  return result;
}

// The entry's handler for a mode; null if it has none.
std::optional<AluChoice> choose(const AluEntry* entry, const Modes& modes) {
  if (entry == nullptr || (modes.needs & ~entry->allowed) != 0) return std::nullopt;
  AluHandler handler = entry->general;
  if (modes.mode == FloatMode{} && entry->plain != nullptr) handler = entry->plain;
  if (modes.mode == FloatMode{.ftz = true} && entry->ftz != nullptr) handler = entry->ftz;
  if (handler == nullptr) return std::nullopt;
  return choice_of(handler, modes.mode.packed(), entry->signature);
}

std::optional<AluChoice> select_plain(const Statement& s) {
  const bool three_sources = s.operands.size() == 4 && (s.opcode() == "min" || s.opcode() == "max");
  const std::string opcode = three_sources ? s.opcode() + "3" : s.opcode();
  if (const AluEntry* entry = alu_table().find(joined(opcode, s.modifiers()));
      entry != nullptr && entry->plain != nullptr) {
    return choice_of(entry->plain, 0, entry->signature);
  }
  const Modes modes = split_modes(s.modifiers());
  return choose(alu_table().find(joined(opcode, modes.others)), modes);
}

// --- lop3 ---------------------------------------------------------------------------------------------------------

std::optional<AluChoice> select_lop3(const Statement& s) {
  auto choice = select_plain(s);
  const size_t destinations = s.dual_destination ? 2 : 1, folded = 3;
  if (!choice || s.operands.size() <= destinations + folded) return std::nullopt;
  const Operand& table = s.operands[destinations + folded];
  if (table.kind != Operand::kInteger) return std::nullopt;
  choice->modes = static_cast<uint32_t>(table.bits & 0xff) | uint32_t{s.has("or")} << 8;
  choice->dual_destination = s.dual_destination;
  choice->folded_source = static_cast<int>(folded);
  return choice;
}

// --- setp, set ----------------------------------------------------------------------------------------------------

struct ComparisonModifiers {
  Comparison comparison{};
  Combination combination = Combination::kNone;
  bool ftz = false;
  uint32_t packed() const {
    return static_cast<uint32_t>(comparison) | static_cast<uint32_t>(combination) << 4 | uint32_t{ftz} << 6;
  }
};

std::optional<Comparison> comparison_from_name(const std::string& name) {
  static const std::unordered_map<std::string, Comparison> names = {
      {"eq", Comparison::kEq},   {"ne", Comparison::kNe},   {"lt", Comparison::kLt},   {"le", Comparison::kLe},
      {"gt", Comparison::kGt},   {"ge", Comparison::kGe},   {"equ", Comparison::kEqu}, {"neu", Comparison::kNeu},
      {"ltu", Comparison::kLtu}, {"leu", Comparison::kLeu}, {"gtu", Comparison::kGtu}, {"geu", Comparison::kGeu},
      {"num", Comparison::kNum}, {"nan", Comparison::kNan}, {"lo", Comparison::kLt},   {"ls", Comparison::kLe},
      {"hi", Comparison::kGt},   {"hs", Comparison::kGe}};
  const auto found = names.find(name);
  return found == names.end() ? std::nullopt : std::optional(found->second);
}

// All modifiers except the types, which are the last ones.
std::optional<ComparisonModifiers> read_comparison(const Names& modifiers, size_t types) {
  if (modifiers.size() < 1 + types) return std::nullopt;
  const auto comparison = comparison_from_name(modifiers[0]);
  if (!comparison) return std::nullopt;
  ComparisonModifiers result{.comparison = *comparison};
  for (size_t i = 1; i < modifiers.size() - types; ++i) {
    const std::string& m = modifiers[i];
    if (m == "and")
      result.combination = Combination::kAnd;
    else if (m == "or")
      result.combination = Combination::kOr;
    else if (m == "xor")
      result.combination = Combination::kXor;
    else if (m == "ftz")
      result.ftz = true;
    else
      return std::nullopt;
  }
  return result;
}

std::optional<AluChoice> select_setp(const Statement& s) {
  const auto modifiers = read_comparison(s.modifiers(), 1);
  if (!modifiers) return std::nullopt;
  const std::string& type = s.modifiers().back();
  const bool is_pair = type == "f16x2" || type == "bf16x2";
  const AluEntry* entry = alu_table().find(is_pair ? "setp." + type : "setp." + s.modifiers()[0] + "." + type);
  if (entry == nullptr || (modifiers->ftz && !(entry->allowed & kFtz))) return std::nullopt;

  AluHandler handler = is_pair ? entry->general : modifiers->ftz ? entry->ftz : entry->plain;
  auto choice = choice_of(handler, is_pair ? modifiers->packed() : static_cast<uint32_t>(modifiers->combination),
                          entry->signature);
  choice.dual_destination = s.dual_destination;
  if (modifiers->combination == Combination::kNone) choice.sources[2] = Width::kNone;
  return choice;
}

std::optional<AluChoice> select_set(const Statement& s) {
  const auto modifiers = read_comparison(s.modifiers(), 2);
  if (!modifiers) return std::nullopt;
  const std::string &d = s.modifiers()[s.modifiers().size() - 2], &type = s.modifiers().back();
  const AluEntry* entry = alu_table().find("set." + type);
  if (entry == nullptr || (modifiers->ftz && !(entry->allowed & kFtz))) return std::nullopt;
  // The unordered comparisons are for floating types.
  if (modifiers->comparison > Comparison::kGe && type.find('f') == std::string::npos) return std::nullopt;

  const bool is_pair = type == "f16x2" || type == "bf16x2";
  struct Destination {
    const char* name;
    bool of_pair;
    SetResult result;
    Type type;
  };
  static constexpr Destination kDestinations[] = {
      {"u32", false, SetResult::k32Ones, Type::kU32},     {"s32", false, SetResult::k32Ones, Type::kS32},
      {"u16", false, SetResult::k16Ones, Type::kU16},     {"s16", false, SetResult::k16Ones, Type::kS16},
      {"f32", false, SetResult::kF32, Type::kF32},        {"f16", false, SetResult::kF16, Type::kF16},
      {"bf16", false, SetResult::kBf16, Type::kBf16},     {"u32", true, SetResult::kPairOnes, Type::kU32},
      {"s32", true, SetResult::kPairOnes, Type::kS32},    {"f16x2", true, SetResult::kF16x2, Type::kF16x2},
      {"bf16x2", true, SetResult::kBf16x2, Type::kBf16x2}};
  for (const auto& destination : kDestinations) {
    if (d != destination.name || is_pair != destination.of_pair) continue;
    auto choice = choice_of(entry->general, modifiers->packed() | static_cast<uint32_t>(destination.result) << 7,
                            entry->signature);
    choice.d = width_of(destination.type);
    if (modifiers->combination == Combination::kNone) choice.sources[2] = Width::kNone;
    return choice;
  }
  return std::nullopt;
}

// --- cvt ----------------------------------------------------------------------------------------------------------

const char* bits_of(Width width) { return width == Width::k16 ? "16" : width == Width::k32 ? "32" : "64"; }
uint32_t log2_bytes(Width width) { return width == Width::k16 ? 1 : width == Width::k32 ? 2 : 3; }

std::optional<AluChoice> select_pack(const Statement& s) {  // cvt.pack.sat.dtype.stype[.b32]
  if (s.modifiers().size() < 4 || s.modifiers()[1] != "sat") return std::nullopt;
  const std::string& d = s.modifiers()[2];
  const bool has_c = s.modifiers().size() == 5;
  const int bits = d.size() < 2 ? 0 : std::atoi(d.c_str() + 1);
  if ((bits == 16) == has_c || (bits != 16 && bits != 8 && bits != 4 && bits != 2)) return std::nullopt;
  const AluEntry* entry = alu_table().find("cvt.pack.sat." + s.modifiers()[3]);
  if (entry == nullptr || (has_c && s.modifiers()[4] != "b32")) return std::nullopt;
  auto choice = choice_of(entry->general, static_cast<uint32_t>(bits) | uint32_t{d[0] == 's'} << 8, entry->signature);
  if (!has_c) choice.sources[2] = Width::kNone;
  return choice;
}

std::optional<AluChoice> select_cvt(const Statement& s, Width d_register, Width a_register) {
  if (s.modifiers().size() < 2) return std::nullopt;
  if (s.modifiers()[0] == "pack") return select_pack(s);

  const Modes modes = split_modes(s.modifiers());
  if (modes.others.size() != 2) return std::nullopt;
  const AluEntry* entry = alu_table().find(joined("cvt", modes.others));
  auto choice = choose(entry, modes);
  if (!choice) return std::nullopt;
  // Pairs and tf32 have one width only.
  if (modes.others[0].ends_with("x2") || modes.others[0] == "tf32") return choice;

  const Type d = entry->signature.d, a = entry->signature.sources[0];
  // A float to an integer must say how it rounds.
  if (is_float(a) && !is_float(d) && !(modes.needs & kIntegral)) return std::nullopt;
  if (d_register != Width::kNone) choice->d = d_register;
  if (a_register != Width::kNone) choice->sources[0] = a_register;
  const std::string fast = s.full_name() + ":" + bits_of(choice->d) + ":" + bits_of(choice->sources[0]);
  if (const AluEntry* fast_entry = alu_table().find(fast)) {
    choice->handler = fast_entry->plain;
  } else {
    choice->modes |= log2_bytes(choice->d) << 16 | log2_bytes(choice->sources[0]) << 20;
  }
  return choice;
}

}  // namespace

std::optional<AluChoice> select_alu(const Statement& statement, const std::array<Width, 6>& register_widths) {
  if (statement.opcode() == "setp") return select_setp(statement);
  if (statement.opcode() == "set") return select_set(statement);
  if (statement.opcode() == "lop3") return select_lop3(statement);
  if (statement.opcode() == "cvt") return select_cvt(statement, register_widths[0], register_widths[1]);
  return select_plain(statement);
}

}  // namespace lockstep
