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
    compared |= compare(c, flushed(a[l], ftz), flushed(b[l], ftz)) ? kLaneBits<Mask>.bit[l] : 0;
  }
  write_comparison(r, i, compared, mask);
}

template <class T, Comparison c>
void setp(AluTable& t, const char* opcode, const char* type, uint32_t allowed = kNoModes) {
  constexpr bool modal = !std::is_integral_v<T>;
  t.add(opcode, type, "",
        {.plain = handle_setp<c, T, false>,
         .ftz = modal ? handle_setp<c, T, modal> : nullptr,
         .allowed = allowed,
         .signature = {Type::kPred, {kTypeOf<T>, kTypeOf<T>, Type::kPred}}});
}

// The first `count` comparisons: 2 for bits, 6 for integers, 14 for floats.
template <class T, size_t count>
void define_setp(AluTable& t, const char* type, uint32_t allowed = kNoModes) {
  static constexpr const char* kOpcodes[] = {
      "setp.eq",  "setp.ne",  "setp.lt",  "setp.le",  "setp.gt",  "setp.ge", "setp.equ", "setp.neu",
      "setp.ltu", "setp.leu", "setp.gtu", "setp.geu", "setp.num", "setp.nan"};  // in the order of Comparison
  [&]<size_t... c>(std::index_sequence<c...>) {
    (setp<T, static_cast<Comparison>(c)>(t, kOpcodes[c], type, allowed), ...);
  }
  (std::make_index_sequence<count>{});
}
template <class T>
void define_unsigned_setp(AluTable& t, const char* type) {
  define_setp<T, 6>(t, type);
  setp<T, Comparison::kLt>(t, "setp.lo", type);
  setp<T, Comparison::kLe>(t, "setp.ls", type);
  setp<T, Comparison::kGt>(t, "setp.hi", type);
  setp<T, Comparison::kGe>(t, "setp.hs", type);
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
      result.low |= Mask{compare(m.comparison, flushed(low<H>(a[l]), m.ftz), flushed(low<H>(b[l]), m.ftz))} << l;
      result.high |= Mask{compare(m.comparison, flushed(high<H>(a[l]), m.ftz), flushed(high<H>(b[l]), m.ftz))} << l;
    } else {
      result.low |= Mask{compare(m.comparison, flushed(a[l], m.ftz), flushed(b[l], m.ftz))} << l;
    }
  }
  const Mask other = *lanes<Mask>(r, i.c);
  return {combine(m.combination, result.low, other), combine(m.combination, result.high, other)};
}

template <class T>
void handle_set(std::byte* r, const AluOperands& i, Mask mask) {
  const SetMode m(i.modes);
  const Compared compared = compare_lanes<T>(r, i, m);
  constexpr uint32_t kOnes[] = {~0u, 0xffff, 0x3f800000, 0x3c00, 0x3f80, 0xffff, 0x3c00, 0x3f80};  // as SetResult
  const uint32_t one = kOnes[static_cast<uint8_t>(m.result)];
  const bool is_pair = m.result >= SetResult::kPairOnes;
  const bool is_narrow = !is_pair && one <= 0xffff;
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const int l = __builtin_ctz(rest);
    const bool low_holds = compared.low >> l & 1, high_holds = compared.high >> l & 1;
    const uint32_t value = (low_holds ? one : 0) | (is_pair && high_holds ? one << 16 : 0);
    if (is_narrow)
      lanes<uint16_t>(r, i.d)[l] = static_cast<uint16_t>(value);
    else
      lanes<uint32_t>(r, i.d)[l] = value;
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
  t.add("setp", suffix<T>(), "",
        {.general = handle_setp_pair<T>,
         .allowed = allowed,
         .signature = {Type::kPred, {kTypeOf<T>, kTypeOf<T>, Type::kPred}}});
}

}  // namespace

void define_compare(AluTable& t) {
  define_setp<uint16_t, 2>(t, ".b16"), define_setp<uint32_t, 2>(t, ".b32"), define_setp<uint64_t, 2>(t, ".b64");
  define_setp<int16_t, 6>(t, ".s16"), define_setp<int32_t, 6>(t, ".s32"), define_setp<int64_t, 6>(t, ".s64");
  define_unsigned_setp<uint16_t>(t, ".u16"), define_unsigned_setp<uint32_t>(t, ".u32");
  define_unsigned_setp<uint64_t>(t, ".u64");
  define_setp<float, 14>(t, ".f32", kFtz), define_setp<double, 14>(t, ".f64");
  define_setp<Half, 14>(t, ".f16", kFtz), define_setp<Bfloat, 14>(t, ".bf16");
  setp_pair<Half2>(t, kFtz), setp_pair<Bfloat2>(t, kNoModes);
  set<uint16_t>(t, ".b16"), set<uint32_t>(t, ".b32"), set<uint64_t>(t, ".b64");
  set<uint16_t>(t, ".u16"), set<uint32_t>(t, ".u32"), set<uint64_t>(t, ".u64");
  set<int16_t>(t, ".s16"), set<int32_t>(t, ".s32"), set<int64_t>(t, ".s64");
  set<float>(t, ".f32", kFtz), set<double>(t, ".f64");
  set<Half>(t, ".f16", kFtz), set<Bfloat>(t, ".bf16"), set<Half2>(t, ".f16x2", kFtz), set<Bfloat2>(t, ".bf16x2");
}

}  // namespace lockstep::LOCKSTEP_ISA
