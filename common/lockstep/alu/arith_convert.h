// arith_convert: PTX cvt as pure functions of one lane, from type S to type D: integers of 8 to 64 bits, float, double,
// Half and Bfloat, in any pair; and the packing forms.
#pragma once

#include <type_traits>

#include "alu/arith_float.h"
#include "alu/arith_int.h"

namespace lockstep::LOCKSTEP_ISA {

template <class T>
inline constexpr bool kIsInteger = std::is_integral_v<T>;
template <class T>
inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

template <class T>
constexpr double widened(T x) {  // every floating type fits a double
  if constexpr (kIsHalf<T>)
    return to_double(x);
  else
    return x;
}

// .ftz applies to f32 values only, and not in conversions from or to f16.
template <class D, class S>
S convert_input(S x, FloatMode m) {
  if constexpr (std::is_same_v<S, float> && !std::is_same_v<D, Half>)
    return m.ftz && is_nan(x) ? float_of(kNanF32) : input(x, m);
  else
    return x;
}

// x rounded to a whole number. x must not be NaN or infinite.
inline double whole(double x, Rounding rounding) {
  switch (rounding) {
    case Rounding::kZero: return __builtin_trunc(x);
    case Rounding::kDown: return __builtin_floor(x);
    case Rounding::kUp: return __builtin_ceil(x);
    case Rounding::kNearestAway: return __builtin_round(x);
    case Rounding::kNearest: break;
  }
  // Beyond 2^52 every double is whole; below it, adding and subtracting 2^52 leaves no room for a fraction.
  if (!(magnitude(x) < 0x1p52)) return x;
  return with_sign((magnitude(x) + 0x1p52) - 0x1p52, x);
}

template <class D, class S>
constexpr D integer_to_integer(S x, bool saturate) {
  if (!saturate) return static_cast<D>(x);
  using Wide = Int128;
  const Wide wide = x;
  return static_cast<D>(wide < kMin<D> ? Wide{kMin<D>} : wide > kMax<D> ? Wide{kMax<D>} : wide);
}

// Values out of range clamp. NaN becomes 0; if one of the types has 64 bits, NaN becomes the top bit alone.
template <class D, class S>
D float_to_integer(S source, FloatMode m) {
  const double x = widened(convert_input<D>(source, m));
  if (is_nan(x)) {
    constexpr bool wide = sizeof(S) == 8 || sizeof(D) == 8;
    return wide ? static_cast<D>(Unsigned<D>{1} << (kBits<D> - 1)) : D{0};
  }
  const double rounded_x = whole(x, m.rounding);
  // In double, 2^bits is exact and kMax may not be.
  constexpr double above = 2.0 * static_cast<double>(kMax<D> / 2 + 1);
  if (rounded_x >= above) return kMax<D>;
  if (rounded_x < static_cast<double>(kMin<D>)) return kMin<D>;
  return static_cast<D>(rounded_x);
}

// A 64-bit integer as a double that rounds to half precision as the integer itself would: one sticky bit stands for
// all bits that do not fit.
template <class S>
double to_sticky_double(S x) {
  if constexpr (sizeof(S) < 8)
    return x;
  else {
    const bool negative = x < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    const uint64_t kept =
        size < uint64_t{1} << 53 ? size : (size & ~uint64_t{0xfff}) | uint64_t{(size & 0xfff) != 0} << 12;
    const auto value = static_cast<double>(kept);
    return negative ? -value : value;
  }
}

template <class D>
D narrowed(double x, FloatMode m) {  // x to half precision
  if (m.sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (m.relu) x = x > 0 || is_nan(x) ? x : 0;
  D result = from_double<D>(x, m.rounding);
  constexpr uint16_t infinity = std::is_same_v<D, Half> ? 0x7c00 : 0x7f80;
  if (m.satfinite && (result.bits & 0x7fff) == infinity) --result.bits;
  return result;
}

// Keeps the part of a NaN that fits, and makes the NaN quiet. Conversions from and to f64 keep this part.
template <class D>
constexpr D narrow_nan(double nan) {
  constexpr int fraction = std::is_same_v<D, Half> ? 10 : 7;
  constexpr uint32_t quiet_infinity = (0x7fffu >> (fraction - 1)) << (fraction - 1);
  const auto payload = static_cast<uint32_t>(bits_of(nan) >> (52 - fraction)) & ((1u << fraction) - 1);
  return {static_cast<uint16_t>(static_cast<uint32_t>(bits_of(nan) >> 48 & 0x8000) | quiet_infinity | payload)};
}
template <class S>
constexpr double widen_nan(S nan) {
  if constexpr (std::is_same_v<S, Half>) {
    return quiet(
        double_of(uint64_t{nan.bits & 0x8000u} << 48 | uint64_t{0x7ff} << 52 | uint64_t{nan.bits & 0x3ffu} << 42));
  } else {
    return quiet(static_cast<double>(widened(nan)));
  }
}

// One floating type to another, or to a whole number of the same type.
template <class D, class S>
D float_to_float(S source, FloatMode m) {
  source = convert_input<D>(source, m);
  const double x = widened(source);
  if (is_nan(source) && !m.sat) {
    if constexpr (std::is_same_v<D, double>) return widen_nan(source);
    if constexpr (std::is_same_v<D, float> && std::is_same_v<S, double>) return static_cast<float>(source);
    if constexpr (std::is_same_v<D, float> && std::is_same_v<S, Bfloat>)
      return m.ftz ? float_of(kNanF32) : to_float(source);
    if constexpr (kIsHalf<D> && std::is_same_v<S, double>) return narrow_nan<D>(source);
  }
  const Rounding rounding = m.integral ? Rounding::kNearest : m.rounding;  // a whole number that fits is exact
  const double value = m.integral && !is_nan(x) ? whole(x, m.rounding) : x;
  if constexpr (kIsHalf<D>) {
    m.rounding = rounding;
    return narrowed<D>(value, m);
  } else {
    return finish(rounded(
                      rounding, [](double y) { return static_cast<D>(y); }, value),
                  m, D{0});
  }
}

template <class D, class S>
D convert(S x, FloatMode m) {
  if constexpr (kIsInteger<D> && kIsInteger<S>)
    return integer_to_integer<D>(x, m.sat);
  else if constexpr (kIsInteger<D>)
    return float_to_integer<D>(x, m);
  else if constexpr (!kIsInteger<S>)
    return float_to_float<D>(x, m);
  else if constexpr (kIsHalf<D>)
    return narrowed<D>(to_sticky_double(x), m);
  else
    return finish(rounded(
                      m.rounding, [](S y) { return static_cast<D>(y); }, x),
                  m, D{0});
}

// tf32 is an f32 whose low 13 bits are zero.
inline uint32_t to_tf32(float x, FloatMode m) {
  constexpr uint32_t unit = 1u << 13;
  if (is_nan(x)) return (m.rounding == Rounding::kNearestAway ? bits_of(x) : kNanF32) & ~(unit - 1);
  const uint32_t result = encode<kTf32Format>(m.relu ? relu(x) : x, m.rounding) << 13;
  return m.satfinite && (result & 0x7fffffff) == 0x7f800000 ? result - unit : result;
}

template <class T>
Pair<T> convert_pair(float high, float low, FloatMode m) {
  return pair<T>(convert<T>(high, m), convert<T>(low, m));
}

// Two formats of one byte. e5m2 has infinities. e4m3 has none, and its highest exponent holds numbers up to 448. Both
// round to nearest, and a value that is too large becomes the largest number.
inline uint32_t to_e5m2(float x, FloatMode m) {
  if (is_nan(x)) return 0x7f;
  const uint32_t byte = encode<kE5m2Format>(m.relu ? relu(x) : x, Rounding::kNearest);
  return (byte & 0x7f) == 0x7c ? byte - 1 : byte;
}
inline uint32_t to_e4m3(float x, FloatMode m) {
  if (is_nan(x)) return 0x7f;
  if (m.relu) x = relu(x);
  const float size = x < 0 ? -x : x;
  if (size >= 448) return x < 0 ? 0xfe : 0x7e;
  if (size < 128) return encode<kE4m3Format>(x, Rounding::kNearest);
  return encode<kE4m3Format>(x / 4, Rounding::kNearest) + (2u << 3);  // as if higher exponents existed
}
template <uint32_t (*to_byte)(float, FloatMode)>
uint16_t to_bytes(float high, float low, FloatMode m) {
  return static_cast<uint16_t>(to_byte(high, m) << 8 | to_byte(low, m));
}
template <uint32_t (*to_byte)(float, FloatMode)>
uint16_t pair_to_bytes(Half2 x, FloatMode m) {
  return to_bytes<to_byte>(to_float(high<Half>(x)), to_float(low<Half>(x)), m);
}

// Both are exact in half precision.
inline Half from_e5m2(uint32_t byte) { return {static_cast<uint16_t>((byte & 0x7f) > 0x7c ? 0x7fff : byte << 8)}; }
inline Half from_e4m3(uint32_t byte) {
  if ((byte & 0x7f) == 0x7f) return {0x7fff};
  const auto shifted = static_cast<uint16_t>((byte & 0x7f) << 7);  // a half of 2^-8 times the value
  return {static_cast<uint16_t>((byte & 0x80) << 8 | from_float<Half>(to_float(Half{shifted}) * 256).bits)};
}
template <Half (*from_byte)(uint32_t)>
Half2 from_bytes(uint16_t bytes, FloatMode m) {
  const auto half = [m](uint32_t byte) {
    const Half h = from_byte(byte);
    return m.relu && (h.bits & 0x8000) != 0 && !is_nan(h) ? Half{0} : h;
  };
  return pair<Half>(half(bytes >> 8), half(bytes & 0xff));
}

// cvt.pack.sat: a and b saturated to `bits` bits, a above b. c, if there is one, moves up to make room.
constexpr int64_t clamp_to_bits(int64_t x, int bits, bool is_signed) {
  const int64_t above = int64_t{1} << (is_signed ? bits - 1 : bits), least = is_signed ? -above : 0;
  return x < least ? least : x >= above ? above - 1 : x;
}
constexpr uint32_t pack_saturated(int32_t a, int32_t b, uint32_t c, int bits, bool is_signed) {
  const uint32_t mask = (1u << bits) - 1;
  const auto high = static_cast<uint32_t>(clamp_to_bits(a, bits, is_signed)) & mask;
  const auto low = static_cast<uint32_t>(clamp_to_bits(b, bits, is_signed)) & mask;
  return (bits == 16 ? 0 : c << (2 * bits)) | high << bits | low;
}

}  // namespace lockstep::LOCKSTEP_ISA
