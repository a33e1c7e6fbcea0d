// alu_convert: cvt → handlers. Registers may be wider than the instruction's types; the common pairs of types and
// widths have vector loops, all others share one loop with strides.

#include "alu/alu_handlers.h"
#include "alu/arith_convert.h"

namespace lockstep::LOCKSTEP_ISA {
namespace {

// --- integers: named with the widths of both registers, such as "cvt.s64.s32:64:32" ---------------------------------

// D and S are the types of the registers. Narrow is the smaller type, to which the instruction cuts the value.
template <class D, class Narrow, class S>
D resized(S x) {
  return static_cast<D>(static_cast<Narrow>(x));
}

template <class D, class Narrow, class S>
void resize(AluTable& t, const char* name) {
  op<resized<D, Narrow, S>>(t, name, "");
}

void define_resizes(AluTable& t) {
  using u8 = uint8_t;
  using s8 = int8_t;
  using u16 = uint16_t;
  using s16 = int16_t;
  using u32 = uint32_t;
  using s32 = int32_t;
  using u64 = uint64_t;
  using s64 = int64_t;
  resize<u16, u8, u16>(t, "cvt.u16.u8:16:16"), resize<s16, s8, u16>(t, "cvt.s16.s8:16:16");
  resize<u32, u8, u16>(t, "cvt.u32.u8:32:16"), resize<s32, s8, u16>(t, "cvt.s32.s8:32:16");
  resize<u32, u8, u32>(t, "cvt.u32.u8:32:32"), resize<s32, s8, u32>(t, "cvt.s32.s8:32:32");
  resize<u16, u8, u32>(t, "cvt.u16.u8:16:32"), resize<s16, s8, u32>(t, "cvt.s16.s8:16:32");
  resize<u64, u8, u16>(t, "cvt.u64.u8:64:16"), resize<s64, s8, u16>(t, "cvt.s64.s8:64:16");
  resize<u64, u8, u32>(t, "cvt.u64.u8:64:32"), resize<s64, s8, u32>(t, "cvt.s64.s8:64:32");
  resize<u32, u16, u16>(t, "cvt.u32.u16:32:16"), resize<s32, s16, u16>(t, "cvt.s32.s16:32:16");
  resize<u32, u16, u32>(t, "cvt.u32.u16:32:32"), resize<s32, s16, u32>(t, "cvt.s32.s16:32:32");
  resize<u64, u16, u16>(t, "cvt.u64.u16:64:16"), resize<s64, s16, u16>(t, "cvt.s64.s16:64:16");
  resize<u64, u32, u32>(t, "cvt.u64.u32:64:32"), resize<s64, s32, u32>(t, "cvt.s64.s32:64:32");
  resize<u64, s32, u32>(t, "cvt.u64.s32:64:32"), resize<u64, u32, u32>(t, "cvt.s64.u32:64:32");
  resize<u32, s16, u16>(t, "cvt.u32.s16:32:16"), resize<u32, u16, u16>(t, "cvt.s32.u16:32:16");
  resize<u16, u16, u32>(t, "cvt.u16.u32:16:32"), resize<u16, u16, u32>(t, "cvt.s16.s32:16:32");
  resize<u16, u16, u64>(t, "cvt.u16.u64:16:64"), resize<u16, u16, u64>(t, "cvt.s16.s64:16:64");
  resize<u32, u32, u64>(t, "cvt.u32.u64:32:64"), resize<u32, u32, u64>(t, "cvt.s32.s64:32:64");
  resize<u32, u32, u64>(t, "cvt.u32.s64:32:64"), resize<u32, u32, u64>(t, "cvt.s32.u64:32:64");
}

// --- common float conversions -------------------------------------------------------------------------------------

template <class D, class S, Rounding rounding, bool integral>
D fixed(S x) {
  return convert<D>(x, FloatMode{.rounding = rounding, .integral = integral});
}
template <class D, class S>
void nearest(AluTable& t, const char* name) {
  op<fixed<D, S, Rounding::kNearest, false>>(t, name, "");
}

void define_floats(AluTable& t) {
  nearest<float, int32_t>(t, "cvt.rn.f32.s32:32:32"), nearest<float, uint32_t>(t, "cvt.rn.f32.u32:32:32");
  nearest<float, int64_t>(t, "cvt.rn.f32.s64:32:64"), nearest<float, uint64_t>(t, "cvt.rn.f32.u64:32:64");
  nearest<double, int32_t>(t, "cvt.rn.f64.s32:64:32"), nearest<double, uint32_t>(t, "cvt.rn.f64.u32:64:32");
  nearest<double, int64_t>(t, "cvt.rn.f64.s64:64:64"), nearest<double, uint64_t>(t, "cvt.rn.f64.u64:64:64");
  nearest<float, double>(t, "cvt.rn.f32.f64:32:64"), nearest<double, float>(t, "cvt.f64.f32:64:32");
  nearest<float, Half>(t, "cvt.f32.f16:32:16"), nearest<float, Bfloat>(t, "cvt.f32.bf16:32:16");
  op<fixed<int32_t, float, Rounding::kZero, true>>(t, "cvt.rzi.s32.f32:32:32", "");
  op<fixed<uint32_t, float, Rounding::kZero, true>>(t, "cvt.rzi.u32.f32:32:32", "");
  op<from_float<Half>>(t, "cvt.rn.f16.f32:16:32", ""), op<from_float<Bfloat>>(t, "cvt.rn.bf16.f32:16:32", "");
}

// --- all pairs ----------------------------------------------------------------------------------------------------

// modes: the FloatMode in the low 16 bits, then the binary logarithms of the registers' bytes, d and a.
template <class D, class S>
void handle_convert(std::byte* r, const AluOperands& i, Mask mask) {
  const FloatMode mode = FloatMode::unpack(i.modes & 0xffff);
  const uint32_t d_shift = i.modes >> 16 & 7, a_shift = i.modes >> 20 & 7;
  for (Mask rest = mask; rest != 0; rest &= rest - 1) {
    const auto l = static_cast<uint32_t>(__builtin_ctz(rest));
    S source;  // the low bytes of its register
    __builtin_memcpy(&source, r + i.a + (size_t{l} << a_shift), sizeof source);
    const D result = convert<D>(source, mode);
    uint64_t extended = 0;
    if constexpr (std::is_integral_v<D>)
      extended = static_cast<uint64_t>(result);  // signed types fill with the sign
    else
      __builtin_memcpy(&extended, &result, sizeof result);
    __builtin_memcpy(r + i.d + (size_t{l} << d_shift), &extended, size_t{1} << d_shift);
  }
}

template <class D, class S>
void any(AluTable& t, const char* d, const char* s) {
  t.add("cvt", d, s,
        {.general = handle_convert<D, S>,
         .allowed = kRoundings | kIntegral | kFtz | kSat | kRelu | kSatfinite,
         .signature = {kTypeOf<D>, {kTypeOf<S>}}});
}
template <class D>
void from_wide(AluTable& t, const char* d) {
  any<D, uint16_t>(t, d, ".u16"), any<D, int16_t>(t, d, ".s16");
  any<D, uint32_t>(t, d, ".u32"), any<D, int32_t>(t, d, ".s32");
  any<D, uint64_t>(t, d, ".u64"), any<D, int64_t>(t, d, ".s64");
  any<D, float>(t, d, ".f32"), any<D, double>(t, d, ".f64"), any<D, Half>(t, d, ".f16");
}
template <class D>
void from_all(AluTable& t, const char* d) {
  from_wide<D>(t, d);
  any<D, uint8_t>(t, d, ".u8"), any<D, int8_t>(t, d, ".s8");
}
void define_pairs(AluTable& t) {  // all but bf16 with 8-bit integers
  from_all<uint8_t>(t, ".u8"), from_all<int8_t>(t, ".s8");
  from_all<uint16_t>(t, ".u16"), from_all<int16_t>(t, ".s16");
  from_all<uint32_t>(t, ".u32"), from_all<int32_t>(t, ".s32");
  from_all<uint64_t>(t, ".u64"), from_all<int64_t>(t, ".s64");
  from_all<float>(t, ".f32"), from_all<double>(t, ".f64"), from_all<Half>(t, ".f16");
  from_wide<Bfloat>(t, ".bf16");
  any<uint16_t, Bfloat>(t, ".u16", ".bf16"), any<int16_t, Bfloat>(t, ".s16", ".bf16");
  any<uint32_t, Bfloat>(t, ".u32", ".bf16"), any<int32_t, Bfloat>(t, ".s32", ".bf16");
  any<uint64_t, Bfloat>(t, ".u64", ".bf16"), any<int64_t, Bfloat>(t, ".s64", ".bf16");
  any<float, Bfloat>(t, ".f32", ".bf16"), any<double, Bfloat>(t, ".f64", ".bf16");
  any<Half, Bfloat>(t, ".f16", ".bf16"), any<Bfloat, Bfloat>(t, ".bf16", ".bf16");
}

// --- packing ------------------------------------------------------------------------------------------------------

// modes: bits of an element, then whether it is signed.
void handle_pack(std::byte* r, const AluOperands& i, Mask mask) {
  const int bits = static_cast<int>(i.modes & 0xff);
  const bool is_signed = i.modes >> 8 != 0;
  apply<Loop::kByLane>(
      r, i, mask, [=](int32_t a, int32_t b, uint32_t c) { return pack_saturated(a, b, c, bits, is_signed); },
      Types<uint32_t, int32_t, int32_t, uint32_t>{});
}

void define_packing(AluTable& t) {
  constexpr uint32_t modes = kRoundings | kRelu | kSatfinite;
  modal<convert_pair<Half>, Loop::kByLane>(t, "cvt", ".f16x2.f32", modes);
  modal<convert_pair<Bfloat>, Loop::kByLane>(t, "cvt", ".bf16x2.f32", modes);
  modal<to_tf32, Loop::kByLane>(t, "cvt", ".tf32.f32", modes);
  constexpr uint32_t byte_modes = kNearest | kSatfinite | kRelu;
  modal<to_bytes<to_e5m2>, Loop::kByLane>(t, "cvt", ".e5m2x2.f32", byte_modes);
  modal<to_bytes<to_e4m3>, Loop::kByLane>(t, "cvt", ".e4m3x2.f32", byte_modes);
  modal<pair_to_bytes<to_e5m2>, Loop::kByLane>(t, "cvt", ".e5m2x2.f16x2", byte_modes);
  modal<pair_to_bytes<to_e4m3>, Loop::kByLane>(t, "cvt", ".e4m3x2.f16x2", byte_modes);
  modal<from_bytes<from_e5m2>, Loop::kByLane>(t, "cvt", ".f16x2.e5m2x2", kNearest | kRelu);
  modal<from_bytes<from_e4m3>, Loop::kByLane>(t, "cvt", ".f16x2.e4m3x2", kNearest | kRelu);
  t.add("cvt.pack.sat", ".s32", "",
        {.general = handle_pack, .signature = {Type::kU32, {Type::kS32, Type::kS32, Type::kU32}}});
}

}  // namespace

void define_convert(AluTable& t) {
  define_resizes(t);
  define_floats(t);
  define_pairs(t);
  define_packing(t);
}

}  // namespace lockstep::LOCKSTEP_ISA
