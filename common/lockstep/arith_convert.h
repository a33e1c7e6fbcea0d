// arith_convert: PTX cvt as pure functions of one lane: D from S, any two of the integers of 8 to 64 bits, float, double,
// Half and Bfloat; and the packing forms.
#pragma once

#include <type_traits>

#include "arith_float.h"
#include "arith_int.h"

namespace lockstep::LOCKSTEP_ISA {

template <class T> inline constexpr bool kIsInteger = std::is_integral_v<T>;
template <class T> inline constexpr bool kIsHalf = std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>;

template <class T> constexpr double widened(T x) {  // every floating type fits a double
  if constexpr (kIsHalf<T>) return to_double(x);
  else return x;
}

// x, NaN and infinities apart, to a whole number.
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

template <class D, class S> constexpr D integer_to_integer(S x, bool saturate) {
  if (!saturate) return static_cast<D>(x);
  using Wide = __int128;
  const Wide wide = x;
  return static_cast<D>(wide < kMin<D> ? Wide{kMin<D>} : wide > kMax<D> ? Wide{kMax<D>} : wide);
}

// Out of range clamps. NaN becomes 0, but in conversions with a 64-bit type on either side the top bit alone.
template <class D, class S> D float_to_integer(S source, FloatMode m) {
  const double x = widened(input(source, m));
  if (is_nan(x)) {
    constexpr bool wide = sizeof(S) == 8 || sizeof(D) == 8;
    return wide ? static_cast<D>(Unsigned<D>{1} << (kBits<D> - 1)) : D{0};
  }
  const double rounded_x = whole(x, m.rounding);
  // 2^bits is exact in double where kMax is not.
  constexpr double above = 2.0 * static_cast<double>(kMax<D> / 2 + 1);
  if (rounded_x >= above) return kMax<D>;
  if (rounded_x < static_cast<double>(kMin<D>)) return kMin<D>;
  return static_cast<D>(rounded_x);
}

// A 64-bit integer as a double that rounds to half precision as the integer itself would: what does not fit is
// kept as one sticky bit.
template <class S> double to_sticky_double(S x) {
  if constexpr (sizeof(S) < 8) return x;
  else {
    const bool negative = x < 0;
    const uint64_t size = negative ? 0 - static_cast<uint64_t>(x) : static_cast<uint64_t>(x);
    const uint64_t kept = size < uint64_t{1} << 53 ? size : (size & ~uint64_t{0xfff}) | uint64_t{(size & 0xfff) != 0} << 12;
    const auto value = static_cast<double>(kept);
    return negative ? -value : value;
  }
}

template <class D> D narrowed(double x, FloatMode m) {  // x to half precision
  if (m.sat) x = x > 0 ? (x < 1 ? x : 1) : 0;
  if (m.relu) x = x < 0 ? 0 : x;
  D result = from_double<D>(x, m.rounding);
  if (m.satfinite && !is_nan(result)) {
    constexpr uint16_t infinity = std::is_same_v<D, Half> ? 0x7c00 : 0x7f80;
    if ((result.bits & 0x7fff) == infinity) --result.bits;
  }
  return m.ftz ? flush(result) : result;
}

template <class D, class S> D convert(S x, FloatMode m) {
  if constexpr (kIsInteger<D> && kIsInteger<S>) {
    return integer_to_integer<D>(x, m.sat);
  } else if constexpr (kIsInteger<D>) {
    return float_to_integer<D>(x, m);
  } else if constexpr (kIsInteger<S>) {
    if constexpr (kIsHalf<D>) return narrowed<D>(to_sticky_double(x), m);
    else return finish(rounded(m.rounding, [](S y) { return static_cast<D>(y); }, x), m);
  } else if constexpr (kIsHalf<D>) {
    const double value = widened(input(x, m));
    if (!m.integral) return narrowed<D>(value, m);
    FloatMode plain = m;
    plain.rounding = Rounding::kNearest;  // a whole number that fits needs no second rounding
    return narrowed<D>(is_nan(value) ? value : whole(value, m.rounding), plain);
  } else if constexpr (sizeof(D) < sizeof(S)) {  // f64 → f32
    return finish(rounded(m.integral ? Rounding::kNearest : m.rounding, [](double y) { return static_cast<float>(y); },
                          m.integral ? whole(x, m.rounding) : x), m);
  } else {  // to the same or a wider format: exact, unless rounded to a whole number
    const double value = widened(input(x, m));
    return finish(static_cast<D>(m.integral ? whole(value, m.rounding) : value), m);
  }
}

// tf32 is an f32 whose low 13 bits are zero.
inline uint32_t to_tf32(float x, FloatMode m) {
  if (m.relu && x < 0) x = 0;
  uint32_t result = encode<kTf32Format>(x, m.rounding) << 13;
  if (m.satfinite && (result & 0x7fffffff) == 0x7f800000) result -= 1u << 13;
  return is_nan(x) ? kNanF32 : result;
}

template <class T> Pair<T> convert_pair(float high, float low, FloatMode m) {
  return pair<T>(convert<T>(high, m), convert<T>(low, m));
}

// cvt.pack.sat: a and b saturated to `bits` bits, a above b; c, if any, moves up to make room.
constexpr int64_t clamp_to_bits(int64_t x, int bits, bool is_signed) {
  const int64_t above = int64_t{1} << (is_signed ? bits - 1 : bits), least = is_signed ? -above : 0;
  return x < least ? least : x >= above ? above - 1 : x;
}
template <class S> constexpr uint32_t pack_saturated(S a, S b, uint32_t c, int bits, bool is_signed) {
  const uint32_t mask = (1u << bits) - 1;
  const auto high = static_cast<uint32_t>(clamp_to_bits(a, bits, is_signed)) & mask;
  const auto low = static_cast<uint32_t>(clamp_to_bits(b, bits, is_signed)) & mask;
  return (bits == 16 ? 0 : c << (2 * bits)) | high << bits | low;
}

}  // namespace lockstep::LOCKSTEP_ISA
