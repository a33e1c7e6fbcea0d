// alu_compare: setp and set → handlers.

#include "alu/alu_handlers.h"
#include "alu/arith_compare.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

// The modes of setp hold the Combination with c. p goes to d. q is the result of the negated comparison; it goes to d2
// if the statement has one.
void write_comparison(std::byte* r, const AluOperands& i, Mask compared, Mask mask) {
  const auto combination = static_cast<Combination>(i.modes);
  const Mask other = *lanes<Mask>(r, i.c);
  write_predicate(r, i.d, combine(combination, compared, other), mask);
  if (i.d2 != 0) write_predicate(r, i.d2, combine(combination, ~compared, other), mask);
}

template <class T>
constexpr T flushed(T x, bool ftz) {
  if constexpr (std::is_integral_v<T>)
    return x;
  else
    return input(x, {.ftz = ftz});
}

template <Comparison c, class T, bool ftz>
[[gnu::flatten]] void handle_setp(std::byte* r, const AluOperands& i, Mask mask) {
  const Source<T> a(r, i.a), b(r, i.b);
  Mask compared = 0;
  for (int l = 0; l < kWarpSize; ++l) {
    compared |= compare<c>(flushed(a[l], ftz), flushed(b[l], ftz)) ? kLaneBits<Mask>.bit[l] : 0;
  }
  write_comparison(r, i, compared, mask);
}

template <class T, Comparison c>
void setp(AluTable& t, const char* opcode, const char* type, uint32_t allowed) {
  constexpr bool modal = !std::is_integral_v<T>;
  t.add(opcode, type, "",
        {.plain = handle_setp<c, T, false>,
         .ftz = modal ? handle_setp<c, T, modal> : nullptr,
         .allowed = allowed,
         .signature = {Type::kPred, {kTypeOf<T>, kTypeOf<T>, Type::kPred}}});
}

template <class T>
void define_equality(AluTable& t, const char* type, uint32_t allowed = kNoModes) {
  setp<T, Comparison::kEq>(t, "setp.eq", type, allowed);
  setp<T, Comparison::kNe>(t, "setp.ne", type, allowed);
}
template <class T>
void define_order(AluTable& t, const char* type, uint32_t allowed = kNoModes) {
  setp<T, Comparison::kLt>(t, "setp.lt", type, allowed);
  setp<T, Comparison::kLe>(t, "setp.le", type, allowed);
  setp<T, Comparison::kGt>(t, "setp.gt", type, allowed);
  setp<T, Comparison::kGe>(t, "setp.ge", type, allowed);
}
template <class T>
void define_signed_setp(AluTable& t) {
  define_equality<T>(t, kSuffix<T>);
  define_order<T>(t, kSuffix<T>);
}
template <class T>
void define_unsigned_setp(AluTable& t) {
  define_equality<T>(t, kSuffix<T>);
  define_order<T>(t, kSuffix<T>);
  setp<T, Comparison::kLt>(t, "setp.lo", kSuffix<T>, kNoModes);
  setp<T, Comparison::kLe>(t, "setp.ls", kSuffix<T>, kNoModes);
  setp<T, Comparison::kGt>(t, "setp.hi", kSuffix<T>, kNoModes);
  setp<T, Comparison::kGe>(t, "setp.hs", kSuffix<T>, kNoModes);
}
template <class T>
void define_float_setp(AluTable& t, uint32_t allowed) {
  define_equality<T>(t, kSuffix<T>, allowed);
  define_order<T>(t, kSuffix<T>, allowed);
  setp<T, Comparison::kEqu>(t, "setp.equ", kSuffix<T>, allowed);
  setp<T, Comparison::kNeu>(t, "setp.neu", kSuffix<T>, allowed);
  setp<T, Comparison::kLtu>(t, "setp.ltu", kSuffix<T>, allowed);
  setp<T, Comparison::kLeu>(t, "setp.leu", kSuffix<T>, allowed);
  setp<T, Comparison::kGtu>(t, "setp.gtu", kSuffix<T>, allowed);
  setp<T, Comparison::kGeu>(t, "setp.geu", kSuffix<T>, allowed);
  setp<T, Comparison::kNum>(t, "setp.num", kSuffix<T>, allowed);
  setp<T, Comparison::kNan>(t, "setp.nan", kSuffix<T>, allowed);
}

// --- set, and setp of packed halves: rare, so the comparison is chosen at run time ---------------------------------

// modes: the Comparison, then the Combination, .ftz and the kind of destination.
struct SetMode {
  Comparison comparison;
  Combination combination;
  bool ftz;
  SetResult result;
  explicit SetMode(uint32_t modes)
      : comparison(static_cast<Comparison>(modes & 15)),
        combination(static_cast<Combination>(modes >> 4 & 3)),
        ftz((modes >> 6 & 1) != 0),
        result(static_cast<SetResult>(modes >> 7)) {}
};

template <class T>
bool compare_any(Comparison c, T a, T b) {
  switch (c) {
    case Comparison::kEq: return compare<Comparison::kEq>(a, b);
    case Comparison::kNe: return compare<Comparison::kNe>(a, b);
    case Comparison::kLt: return compare<Comparison::kLt>(a, b);
    case Comparison::kLe: return compare<Comparison::kLe>(a, b);
    case Comparison::kGt: return compare<Comparison::kGt>(a, b);
    case Comparison::kGe: return compare<Comparison::kGe>(a, b);
    case Comparison::kEqu: return compare<Comparison::kEqu>(a, b);
    case Comparison::kNeu: return compare<Comparison::kNeu>(a, b);
    case Comparison::kLtu: return compare<Comparison::kLtu>(a, b);
    case Comparison::kLeu: return compare<Comparison::kLeu>(a, b);
    case Comparison::kGtu: return compare<Comparison::kGtu>(a, b);
    case Comparison::kGeu: return compare<Comparison::kGeu>(a, b);
    case Comparison::kNum: return compare<Comparison::kNum>(a, b);
    case Comparison::kNan: return compare<Comparison::kNan>(a, b);
  }
  return false;
}

// The lanes for which the comparison, combined with c, holds. One mask is for the value or its low half, the other for
// the high half.
struct Compared {
  Mask low, high;
};
template <class T>
Compared compare_lanes(std::byte* r, const AluOperands& i, SetMode m) {
  const Source<T> a(r, i.a), b(r, i.b);
  Compared result{};
  for (int l = 0; l < kWarpSize; ++l) {
    if constexpr (std::is_same_v<T, Half2> || std::is_same_v<T, Bfloat2>) {
      using H = std::conditional_t<std::is_same_v<T, Half2>, Half, Bfloat>;
      result.low |= Mask{compare_any(m.comparison, flushed(low<H>(a[l]), m.ftz), flushed(low<H>(b[l]), m.ftz))} << l;
      result.high |= Mask{compare_any(m.comparison, flushed(high<H>(a[l]), m.ftz), flushed(high<H>(b[l]), m.ftz))} << l;
    } else {
      result.low |= Mask{compare_any(m.comparison, flushed(a[l], m.ftz), flushed(b[l], m.ftz))} << l;
    }
  }
  const Mask other = *lanes<Mask>(r, i.c);
  return {combine(m.combination, result.low, other), combine(m.combination, result.high, other)};
}

template <class T>
void handle_set(std::byte* r, const AluOperands& i, Mask mask) {
  const SetMode m(i.modes);
  const Compared compared = compare_lanes<T>(r, i, m);
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    const bool low_holds = compared.low >> l & 1, high_holds = compared.high >> l & 1;
    switch (m.result) {
      case SetResult::k32Ones: lanes<uint32_t>(r, i.d)[l] = low_holds ? ~0u : 0; break;
      case SetResult::k16Ones: lanes<uint16_t>(r, i.d)[l] = low_holds ? 0xffff : 0; break;
      case SetResult::kF32: lanes<float>(r, i.d)[l] = low_holds; break;
      case SetResult::kF16: lanes<uint16_t>(r, i.d)[l] = low_holds ? 0x3c00 : 0; break;
      case SetResult::kBf16: lanes<uint16_t>(r, i.d)[l] = low_holds ? 0x3f80 : 0; break;
      case SetResult::kPairOnes:
        lanes<uint32_t>(r, i.d)[l] = (high_holds ? 0xffff0000 : 0) | (low_holds ? 0xffff : 0);
        break;
      case SetResult::kF16x2:
        lanes<uint32_t>(r, i.d)[l] = (high_holds ? 0x3c000000 : 0) | (low_holds ? 0x3c00 : 0);
        break;
      case SetResult::kBf16x2:
        lanes<uint32_t>(r, i.d)[l] = (high_holds ? 0x3f800000 : 0) | (low_holds ? 0x3f80 : 0);
        break;
    }
  }
}

// setp p|q of a pair: p for the low half, q for the high one.
template <class T>
void handle_setp_pair(std::byte* r, const AluOperands& i, Mask mask) {
  const Compared compared = compare_lanes<T>(r, i, SetMode(i.modes));
  write_predicate(r, i.d, compared.low, mask);
  write_predicate(r, i.d2, compared.high, mask);
}

template <class T>
void set(AluTable& t, const char* type, uint32_t allowed = kNoModes) {
  t.add(
      "set", type, "",
      {.general = handle_set<T>, .allowed = allowed, .signature = {Type::kU32, {kTypeOf<T>, kTypeOf<T>, Type::kPred}}});
}
template <class T>
void setp_pair(AluTable& t, uint32_t allowed) {
  t.add("setp", kSuffix<T>, "",
        {.general = handle_setp_pair<T>,
         .allowed = allowed,
         .signature = {Type::kPred, {kTypeOf<T>, kTypeOf<T>, Type::kPred}}});
}

}  // namespace

void define_compare(AluTable& t) {
  define_equality<uint16_t>(t, ".b16"), define_equality<uint32_t>(t, ".b32"), define_equality<uint64_t>(t, ".b64");
  define_signed_setp<int16_t>(t), define_signed_setp<int32_t>(t), define_signed_setp<int64_t>(t);
  define_unsigned_setp<uint16_t>(t), define_unsigned_setp<uint32_t>(t), define_unsigned_setp<uint64_t>(t);
  define_float_setp<float>(t, kFtz), define_float_setp<double>(t, kNoModes);
  define_float_setp<Half>(t, kFtz), define_float_setp<Bfloat>(t, kNoModes);
  setp_pair<Half2>(t, kFtz), setp_pair<Bfloat2>(t, kNoModes);
  set<uint16_t>(t, ".b16"), set<uint32_t>(t, ".b32"), set<uint64_t>(t, ".b64");
  set<uint16_t>(t, ".u16"), set<uint32_t>(t, ".u32"), set<uint64_t>(t, ".u64");
  set<int16_t>(t, ".s16"), set<int32_t>(t, ".s32"), set<int64_t>(t, ".s64");
  set<float>(t, ".f32", kFtz), set<double>(t, ".f64");
  set<Half>(t, ".f16", kFtz), set<Bfloat>(t, ".bf16"), set<Half2>(t, ".f16x2", kFtz), set<Bfloat2>(t, ".bf16x2");
}

}  // namespace lockstep::LOCKSTEP_ISA
