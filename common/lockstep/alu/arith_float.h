// arith_float: PTX floating-point instructions as pure functions of one lane: f32, f64, f16, bf16 and the packed pairs.
// Every function takes the instruction's modes last. Half precision is computed in float or double where that rounds to
// the same result.
#pragma once

#include <cfenv>
#include <cmath>
#include <limits>
#include <type_traits>

#include "alu/arith_types.h"

namespace lockstep::LOCKSTEP_ISA {

// --- bits ---------------------------------------------------------------------------------------------------------

constexpr uint32_t bits_of(float x) { return __builtin_bit_cast(uint32_t, x); }
constexpr uint64_t bits_of(double x) { return __builtin_bit_cast(uint64_t, x); }
constexpr float float_of(uint32_t bits) { return __builtin_bit_cast(float, bits); }
constexpr double double_of(uint64_t bits) { return __builtin_bit_cast(double, bits); }

inline constexpr uint32_t kNanF32 = 0x7fffffff;  // the NaN that f32 instructions return, for any NaN among the sources
inline constexpr uint16_t kNan16 = 0x7fff;       // the same for f16 and bf16

constexpr float with_sign(float magnitude, float sign) {
  return float_of((bits_of(magnitude) & 0x7fffffff) | (bits_of(sign) & 0x80000000));
}
constexpr double with_sign(double magnitude, double sign) {
  return double_of((bits_of(magnitude) & ~(uint64_t{1} << 63)) | (bits_of(sign) & uint64_t{1} << 63));
}
template <class T>
constexpr T magnitude(T x) {
  return with_sign(x, T{0});
}
template <class T>
constexpr bool is_nan(T x) {
  return x != x;
}
template <class T>
inline constexpr T kLeastNormal = std::numeric_limits<T>::min();
template <class T>
constexpr bool is_subnormal(T x) {
  return magnitude(x) < kLeastNormal<T> && x != 0;
}

// The NaN of a result. f32: always the same NaN. f64: the NaN of the last source that is NaN, made quiet; if no source
// is NaN, the default NaN.
template <class... T>
constexpr float nan_from(float, T...) {
  return float_of(kNanF32);
}
constexpr double quiet(double nan) { return double_of(bits_of(nan) | uint64_t{1} << 51); }
template <class... T>
constexpr double nan_from(double first, T... others) {
  double nan = double_of(0xfff8000000000000);
  nan = is_nan(first) ? first : nan;
  ((nan = is_nan(others) ? others : nan), ...);
  return quiet(nan);
}

constexpr float flush(float x) { return magnitude(x) < kLeastNormal<float> ? with_sign(0.0f, x) : x; }

// --- half precision as bits ----------------------------------------------------------------------------------------

// A binary format with an implicit leading bit and IEEE infinities, held in the low bits of a word.
struct Format {
  int exponent_bits, fraction_bits;
};
inline constexpr Format kHalfFormat{5, 10}, kBfloatFormat{8, 7}, kTf32Format{8, 10}, kE5m2Format{5, 2},
    kE4m3Format{4, 3};

// x rounded to the format. `rest` is the part that is cut off; `up` says whether it moves the magnitude up.
template <Format f>
constexpr uint32_t encode(double x, Rounding rounding) {
  constexpr int bias = (1 << (f.exponent_bits - 1)) - 1;
  constexpr uint32_t infinity = ((1u << f.exponent_bits) - 1) << f.fraction_bits;
  const uint64_t bits = bits_of(x);
  const bool negative = bits >> 63;
  const uint32_t sign = static_cast<uint32_t>(negative) << (f.exponent_bits + f.fraction_bits);
  const auto exponent = static_cast<int>(bits >> 52 & 0x7ff);
  if (exponent == 0x7ff) return is_nan(x) ? (1u << (f.exponent_bits + f.fraction_bits)) - 1 : sign | infinity;
  const uint64_t significand = (bits & ((uint64_t{1} << 52) - 1)) | uint64_t{exponent != 0} << 52;

  int biased = exponent - 1023 + bias;             // exponent in the format, if normal there
  int drop = 52 - f.fraction_bits;                 // bits of the significand that are dropped
  if (biased < 1) drop += 1 - biased, biased = 1;  // subnormal: fewer fit
  if (drop > 62) drop = 62;                        // far below: still a non-zero rest
  const uint64_t kept = significand >> drop, rest = significand & ((uint64_t{1} << drop) - 1);
  const uint64_t half = uint64_t{1} << (drop - 1);
  bool up = false;
  switch (rounding) {
    case Rounding::kNearest: up = rest > half || (rest == half && (kept & 1)); break;
    case Rounding::kNearestAway: up = rest >= half; break;
    case Rounding::kZero: break;
    case Rounding::kDown: up = rest != 0 && negative; break;
    case Rounding::kUp: up = rest != 0 && !negative; break;
  }
  // The leading bit of `kept` adds one to the exponent if it is set, and so does a carry out of the fraction.
  const uint64_t result = (static_cast<uint64_t>(biased - 1) << f.fraction_bits) + kept + up;
  if (result < infinity) return sign | static_cast<uint32_t>(result);
  const bool to_infinity = rounding == Rounding::kNearest || rounding == Rounding::kNearestAway ||
                           rounding == (negative ? Rounding::kDown : Rounding::kUp);
  return sign | (to_infinity ? infinity : infinity - 1);
}

// After the shift the exponent is 112 too small. The multiplication corrects it, for subnormals too.
constexpr float to_float(Half h) {
  const float scaled = float_of(static_cast<uint32_t>(h.bits & 0x7fff) << 13) * 0x1p112f;
  const uint32_t bits =
      (h.bits & 0x7c00) == 0x7c00 ? 0x7f800000u | static_cast<uint32_t>(h.bits & 0x3ff) << 13 : bits_of(scaled);
  return float_of(bits | static_cast<uint32_t>(h.bits & 0x8000) << 16);
}
constexpr float to_float(Bfloat b) { return float_of(uint32_t{b.bits} << 16); }
constexpr double to_double(Half h) { return to_float(h); }
constexpr double to_double(Bfloat b) { return to_float(b); }

// Rounds to nearest, without branches. Subnormal halves have the unit 2^-24, as floats in [0.5, 1) have.
template <class T>
constexpr T from_float(float x);
template <>
constexpr Half from_float<Half>(float x) {
  const uint32_t size = bits_of(magnitude(x)), sign = bits_of(x) >> 16 & 0x8000;
  const uint32_t normal = (size - (112u << 23) + 0xfff + (size >> 13 & 1)) >> 13;
  const uint32_t subnormal = bits_of(magnitude(x) + 0.5f) - bits_of(0.5f);
  uint32_t result = size < (113u << 23) ? subnormal : normal;
  result = size >= bits_of(65520.0f) ? 0x7c00 : result;
  return {static_cast<uint16_t>(size > 0x7f800000 ? kNan16 : result | sign)};
}
template <>
constexpr Bfloat from_float<Bfloat>(float x) {
  const uint32_t bits = bits_of(x), size = bits & 0x7fffffff;
  return {static_cast<uint16_t>(size > 0x7f800000 ? kNan16 : (bits + 0x7fff + (bits >> 16 & 1)) >> 16)};
}

// x as a float, rounded to odd: if x is between two floats, the result is the one whose last bit is set. A second
// rounding, to a format with two bits less, then gives the same result as one rounding of x.
constexpr float narrow_to_odd(double x) {
  const auto nearest = static_cast<float>(x);
  const uint32_t bits = bits_of(nearest);
  const bool keep = nearest == x || (bits & 1) != 0;
  const uint32_t odd = magnitude(double{nearest}) < magnitude(x) ? bits + 1 : bits - 1;
  return float_of(keep ? bits : odd);
}

template <class T>
constexpr T from_nearest(float x) {
  return from_float<T>(x);
}
template <class T>
constexpr T from_nearest(double x) {
  return from_float<T>(narrow_to_odd(x));
}
template <class T>
constexpr T from_double(double x, Rounding rounding) {
  if (rounding == Rounding::kNearest) return from_nearest<T>(x);
  constexpr Format format = std::is_same_v<T, Half> ? kHalfFormat : kBfloatFormat;
  return {static_cast<uint16_t>(encode<format>(x, rounding))};
}

template <class T>  // Half or Bfloat
using Pair = std::conditional_t<std::is_same_v<T, Half>, Half2, Bfloat2>;
template <class T>
constexpr T low(Pair<T> p) {
  return {static_cast<uint16_t>(p.bits)};
}
template <class T>
constexpr T high(Pair<T> p) {
  return {static_cast<uint16_t>(p.bits >> 16)};
}
template <class T>
constexpr Pair<T> pair(T high, T low) {
  return {uint32_t{high.bits} << 16 | low.bits};
}

constexpr bool is_nan(Half h) { return (h.bits & 0x7fff) > 0x7c00; }
constexpr bool is_nan(Bfloat b) { return (b.bits & 0x7fff) > 0x7f80; }
constexpr Half flush(Half h) { return h.bits & 0x7c00 ? h : Half{static_cast<uint16_t>(h.bits & 0x8000)}; }
constexpr Bfloat flush(Bfloat b) { return b.bits & 0x7f80 ? b : Bfloat{static_cast<uint16_t>(b.bits & 0x8000)}; }
constexpr double flush(double x) { return x; }  // f64 has no .ftz

// --- modes --------------------------------------------------------------------------------------------------------

// Keeps the compiler from moving arithmetic across a change of the rounding mode.
template <class T>
void pin(T& x) {
  asm volatile("" : "+m"(x) : : "memory");
}

// f(arguments…) under a rounding mode of the processor. Floating-point flags are ignored.
template <class F, class... T>
auto rounded(Rounding rounding, F f, T... arguments) {
  if (rounding == Rounding::kNearest) return f(arguments...);
  std::fesetround(rounding == Rounding::kZero ? FE_TOWARDZERO : rounding == Rounding::kDown ? FE_DOWNWARD : FE_UPWARD);
  (pin(arguments), ...);
  auto result = f(arguments...);
  pin(result);
  std::fesetround(FE_TONEAREST);
  return result;
}

template <class T>
constexpr T input(T x, FloatMode mode) {
  return mode.ftz ? flush(x) : x;
}

constexpr float relu(float x) { return x > 0 || is_nan(x) ? x : 0.0f; }  // -0 becomes +0

// The last step of every f32 and f64 instruction. `inputs`: the sources, for their NaNs.
template <class T, class... S>
constexpr T finish(T x, FloatMode mode, S... inputs) {
  if (mode.ftz) x = flush(x);
  if (mode.sat) return x > 0 ? (x < 1 ? x : T{1}) : T{0};  // NaN → 0
  return is_nan(x) ? nan_from(inputs...) : x;
}
// .ftz looks at the result before it is rounded: a result that becomes normal by rounding is flushed, too. `exact` is
// precise enough to tell. f64 has no .ftz.
constexpr float flush_tiny(float x, double exact, FloatMode mode) {
  return mode.ftz && magnitude(exact) < double{kLeastNormal<float>} ? with_sign(0.0f, x) : x;
}
constexpr double flush_tiny(double x, double, FloatMode) { return x; }

// The half-precision instructions round to nearest only. X: float or double.
template <class T, class X>
constexpr T finish_half(X x, FloatMode mode) {
  constexpr X least_normal = std::is_same_v<T, Half> ? X{0x1p-14f} : X{0x1p-126f};
  if (mode.ftz) x = magnitude(x) < least_normal ? with_sign(X{0}, x) : x;
  if (mode.sat) x = x > 0 ? (x < 1 ? x : X{1}) : X{0};
  if (mode.relu) x = x > 0 || is_nan(x) ? x : X{0};
  return from_nearest<T>(x);
}

// --- add, sub, mul, fma, div, rcp, sqrt ---------------------------------------------------------------------------

constexpr float fused(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
constexpr double fused(double a, double b, double c) { return __builtin_fma(a, b, c); }
constexpr float root(float x) { return __builtin_sqrtf(x); }
constexpr double root(double x) { return __builtin_sqrt(x); }

template <class T>
T add(T a, T b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  return finish(rounded(
                    m.rounding, [](T x, T y) { return x + y; }, a, b),
                m, a, b);
}
template <class T>
T sub(T a, T b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  return finish(rounded(
                    m.rounding, [](T x, T y) { return x - y; }, a, b),
                m, a, b);
}
template <class T>
T mul(T a, T b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  const T result = rounded(
      m.rounding, [](T x, T y) { return x * y; }, a, b);
  return finish(flush_tiny(result, double{a} * b, m), m, a, b);
}
template <class T>
T fma(T a, T b, T c, FloatMode m) {
  a = input(a, m), b = input(b, m), c = input(c, m);
  const T result = rounded(
      m.rounding, [](T x, T y, T z) { return fused(x, y, z); }, a, b, c);
  return finish(flush_tiny(result, double{a} * b + c, m), m, a, c, b);
}
template <class T>
T div(T a, T b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  const T result = rounded(
      m.rounding, [](T x, T y) { return x / y; }, a, b);
  return finish(flush_tiny(result, double{a} / b, m), m, b, a);
}
template <class T>
T rcp(T a, FloatMode m) {
  a = input(a, m);
  const T result = rounded(
      m.rounding, [](T x) { return T{1} / x; }, a);
  return finish(flush_tiny(result, 1.0 / a, m), m, a);
}
template <class T>
T sqrt(T a, FloatMode m) {
  a = input(a, m);
  return finish(rounded(
                    m.rounding, [](T x) { return root(x); }, a),
                m, a);
}

// --- sign, min, max -----------------------------------------------------------------------------------------------

template <class T>
constexpr T neg(T a, FloatMode m) {
  a = input(a, m);
  return is_nan(a) ? nan_from(a) : -a;
}
template <class T>
constexpr T abs(T a, FloatMode m) {
  a = input(a, m);
  return is_nan(a) ? nan_from(a) : magnitude(a);
}
template <class T>
constexpr T copysign(T a, T b) {
  return with_sign(b, a);
}

// -0 is less than +0. If one source is NaN, the result is the other; with .NaN it is NaN.
template <class T>
constexpr bool below(T a, T b) {
  return a < b || (a == b && bits_of(a) > bits_of(b));
}
template <bool least, class T>
constexpr T extreme(T a, T b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  const T sign = with_sign(T{1}, a) * with_sign(T{1}, b);
  if (m.xorsign_abs || m.abs) a = magnitude(a), b = magnitude(b);
  T result = is_nan(a) || (least ? below(b, a) : below(a, b)) ? b : a;
  if (m.nan) result = is_nan(b) ? b : is_nan(a) ? a : result;
  if (is_nan(result)) return nan_from(result);
  return m.xorsign_abs ? with_sign(result, sign) : result;
}
template <class T>
constexpr T min(T a, T b, FloatMode m) {
  return extreme<true>(a, b, m);
}
template <class T>
constexpr T max(T a, T b, FloatMode m) {
  return extreme<false>(a, b, m);
}
template <class T>
constexpr T min3(T a, T b, T c, FloatMode m) {
  return min(min(a, b, m), c, m);
}
template <class T>
constexpr T max3(T a, T b, T c, FloatMode m) {
  return max(max(a, b, m), c, m);
}

enum class FloatClass : uint8_t { kFinite, kInfinite, kNumber, kNotANumber, kNormal, kSubnormal };
template <FloatClass c, class T>
constexpr bool testp(T x) {
  const bool infinite = magnitude(x) == std::numeric_limits<T>::infinity();
  switch (c) {
    case FloatClass::kFinite: return !infinite && !is_nan(x);
    case FloatClass::kInfinite: return infinite;
    case FloatClass::kNumber: return !is_nan(x);
    case FloatClass::kNotANumber: return is_nan(x);
    case FloatClass::kNormal: return !infinite && !is_nan(x) && !is_subnormal(x);  // zeros count
    case FloatClass::kSubnormal: return is_subnormal(x);
  }
  return false;
}

// --- half precision -----------------------------------------------------------------------------------------------

// a * b is exact in double. The sum with c is rounded to odd, so that only the second rounding, to T, has an effect.
// The error of the first sum says on which side of it the true value lies.
constexpr double fused_to_odd(double a, double b, double c) {
  const double product = a * b, sum = product + c;
  const double from_c = sum - product;
  const double error = (product - (sum - from_c)) + (c - from_c);
  const uint64_t bits = bits_of(sum);
  if (!(error != 0) || !(magnitude(sum) < std::numeric_limits<double>::infinity()) || (bits & 1)) return sum;
  return double_of((error > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

// A sum of two halves, rounded to float, rounds to the right half; a product of two halves is exact in float. A product
// of two bfloats is exact in double only: in float it may be subnormal.
template <class T>
constexpr T add_half(T a, T b, FloatMode m) {
  return finish_half<T>(to_float(input(a, m)) + to_float(input(b, m)), m);
}
template <class T>
constexpr T sub_half(T a, T b, FloatMode m) {
  return finish_half<T>(to_float(input(a, m)) - to_float(input(b, m)), m);
}
constexpr float product(Half a, Half b) { return to_float(a) * to_float(b); }
constexpr double product(Bfloat a, Bfloat b) { return to_double(a) * to_double(b); }
template <class T>
constexpr T mul_half(T a, T b, FloatMode m) {
  return finish_half<T>(product(input(a, m), input(b, m)), m);
}
template <class T>
constexpr T fma_half(T a, T b, T c, FloatMode m) {
  return finish_half<T>(fused_to_odd(to_double(input(a, m)), to_double(input(b, m)), to_double(input(c, m))), m);
}
template <class T>
constexpr T with_half_bits(T a, uint32_t bits) {
  return {static_cast<uint16_t>(is_nan(a) ? kNan16 : bits)};
}
template <class T>
constexpr T neg_half(T a, FloatMode m) {
  return with_half_bits(a, input(a, m).bits ^ 0x8000u);
}
template <class T>
constexpr T abs_half(T a, FloatMode m) {
  return with_half_bits(a, input(a, m).bits & 0x7fffu);
}
// The min and max of f32, exact for halves. A NaN becomes the NaN of the half format.
template <class T>
constexpr T min_half(T a, T b, FloatMode m) {
  return from_float<T>(min(to_float(input(a, m)), to_float(input(b, m)), m));
}
template <class T>
constexpr T max_half(T a, T b, FloatMode m) {
  return from_float<T>(max(to_float(input(a, m)), to_float(input(b, m)), m));
}

// The same on both halves of a register.
template <class T, T (*f)(T, FloatMode)>
Pair<T> both(Pair<T> a, FloatMode m) {
  return pair<T>(f(high<T>(a), m), f(low<T>(a), m));
}
template <class T, T (*f)(T, T, FloatMode)>
Pair<T> both(Pair<T> a, Pair<T> b, FloatMode m) {
  return pair<T>(f(high<T>(a), high<T>(b), m), f(low<T>(a), low<T>(b), m));
}
template <class T, T (*f)(T, T, T, FloatMode)>
Pair<T> both(Pair<T> a, Pair<T> b, Pair<T> c, FloatMode m) {
  return pair<T>(f(high<T>(a), high<T>(b), high<T>(c), m), f(low<T>(a), low<T>(b), low<T>(c), m));
}

}  // namespace lockstep::LOCKSTEP_ISA
