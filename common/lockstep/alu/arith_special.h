// arith_special: the functions that PTX approximates (rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh, and the division made
// of rcp). They have the card's bits (alu/interpolation.h).
//
// Each function has these parts, the first three for vectors:
// - key(x): less than kEnd if the unit interpolates. If it does, the next two may be called. These three are the same
//   with .ftz.
// - position(x): the row, and the x in it.
// - result(x, position, sums): the unit's result.
// - outside(x): what the unit answers to all other arguments; for it a subnormal is zero.
// - any(x): the instruction without .ftz. For subnormals ptxas writes other instructions around the unit.
#pragma once

#include "alu/arith_float.h"
#include "alu/interpolation.h"

namespace lockstep::LOCKSTEP_ISA {

template <class F>
bool interpolates(Integers keys) {
  return all_of(keys < signed_of(each<static_cast<uint32_t>(F::kEnd)>));
}
// The unit's results, if it interpolates for all lanes.
template <class F>
[[gnu::always_inline]] inline Floats interpolated(Floats x, Words position) {
  return F::result(x, position, interpolated<F::kRows>(position));
}
// The unit's result for one argument, as a vector whose lanes all hold it.
template <class F>
float unit(float x) {
  const Floats all = x - Floats{};  // -0 + 0 would be 0
  return interpolates<F>(F::key(all)) ? interpolated<F>(all, F::position(all))[0] : F::outside(x);
}

inline constexpr float kInfinite = std::numeric_limits<float>::infinity();
inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr bool is_tiny(float x) { return magnitude(x) < 0x1p-126f; }  // zero or subnormal

// Less than kEnd for normal positive floats.
struct KeysOfPositive {
  static Integers key(Floats x) { return order_from<0x0080'0000>(bits_of(x)); }
  static constexpr int32_t kEnd = order_from(0x0080'0000, 0x7f80'0000);
};

inline constexpr uint32_t kExponent = 0x7f80'0000, kOne = 0x3f80'0000, kHalf = 0x3f00'0000;  // of floats
// For roots, x = m * 4^n with m in [1, 4).
inline Words position_for_root(Floats x) { return bits_of(x) ^ each<0x80'0000>; }

struct Rcp {
  static constexpr auto& kRows = kReciprocalRows;
  static constexpr uint32_t kLowest = 0x0080'0000 << 1;
  static Integers key(Floats x) { return order_from<kLowest>(bits_of(x) << 1); }
  static constexpr int32_t kEnd = order_from(kLowest, (0x7e80'0000u << 1) + 1);
  static Words position(Floats x) { return bits_of(x) << 1; }
  static Floats result(Floats x, Words, Sums sums) {
    return float_of((sums.from<16 + kZeros>() + each<kHalf + kOne> - (bits_of(x) & each<kExponent>)) | sign_of(x));
  }
  static float outside(float x) { return is_nan(x) ? x : with_sign(is_tiny(x) ? kInfinite : 0.0f, x); }
  static float any(float x) {
    const float scale = is_tiny(x) ? 0x1p24f : magnitude(x) > 0x1p126f ? 0.25f : 1.0f;
    return unit<Rcp>(x * scale) * scale;
  }
};

struct Rsqrt : KeysOfPositive {
  static constexpr auto& kRows = kInverseRootRows;
  static Words position(Floats x) { return position_for_root(x); }
  static Floats result(Floats x, Words position, Sums sums) {
    // The exponent of 2^-n / 2. The difference has it twice; the ones below round it up.
    const Words exponent = (each<2 * kHalf + kOne + 0xff'ffff> - bits_of(x)) >> 1 & each<0xff80'0000>;
    const Words one_more = bits_of((position & each<0xff'ffff>) == 0);  // m = 1. The sum's 24 bits cannot hold 1.
    return float_of(exponent + sums.from<16 + kZeros>() - one_more);
  }
  static float outside(float x) { return is_tiny(x) ? with_sign(kInfinite, x) : x > 0 ? 0.0f : kNotANumber; }
  static float any(float x) { return is_tiny(x) ? unit<Rsqrt>(x * 0x1p24f) * 0x1p12f : unit<Rsqrt>(x); }
};

struct Sqrt : KeysOfPositive {
  static constexpr auto& kRows = kRootRows;
  static Words position(Floats x) { return position_for_root(x); }
  static Floats result(Floats x, Words, Sums sums) {
    const Words exponent = (bits_of(x) + each<kOne>) >> 1 & each<0xff80'0000>;  // of 2^n
    return float_of(exponent + sums.from<17 + kZeros>());
  }
  static float outside(float x) { return is_tiny(x) ? with_sign(0.0f, x) : x > 0 ? x : kNotANumber; }
  static float any(float x) { return is_tiny(x) ? unit<Sqrt>(x * 0x1p24f) * 0x1p-12f : unit<Sqrt>(x); }
};

// The argument's size is cut off to multiples of 2^-23. A negative one is then negated bit by bit, if it is not whole.
// The position's bits above the row are the result's exponent.
struct Ex2 {
  static constexpr auto& kRows = kPowerRows;
  // Left out: NaN, and results that are subnormal without .ftz. 2^-151 rounds to zero.
  static Integers key(Floats x) { return (x >= -126) | (x <= -151); }
  static constexpr int32_t kEnd = 0;
  static Words position(Floats x) {
    // Below -256 the conversion overflows. Any value will do, since result() is 0.
    const Floats at_most_128 = float_of(bits_of(least(signed_of(bits_of(x)), signed_of(each<bits_of(128.0f)>))));
    const Integers size = __builtin_convertvector(at_most_128 * 0x1p23f, Integers);
    return bits_of(size + ((size >> 31) & ((size << 9) != 0)));
  }
  static Floats result(Floats x, Words position, Sums sums) {
    const Words power = sums.from<15 + kZeros>() + each<kOne> + (position & each<0xff80'0000>);
    return float_of(power & bits_of(x >= -126));  // 2^128 is infinite
  }
  static float outside(float x) { return is_nan(x) ? x : 0.0f; }
  static float any(float x) {
    const float root = unit<Ex2>(x * 0.5f);
    return x < -126 ? root * root : unit<Ex2>(x);
  }
};

// The logarithm of the significand behind that of the exponent. A negative sum is negated bit by bit; the bits behind
// 2^-36 are cut off.
struct Lg2 : KeysOfPositive {
  static constexpr auto& kRows = kLogarithmRows;
  static Words position(Floats x) { return bits_of(x); }
  static Floats result(Floats x, Words, Sums sums) {
    constexpr int kPoint = 38 + kZeros;
    const Pairs doublings = pairs_of(bits_of(signed_of(above_one(x)) >> 23));
    const auto size = [](Pairs sum) {
      return (sum ^ filled_with_sign(sum)) & each_pair<~uint64_t{0} << (kPoint - 36)>;
    };
    const Sums sizes = {size(sums.even + (doublings << kPoint)), size(sums.odd + (doublings >> 32 << kPoint))};
    return float_of((bits_of(sizes.cut_off<kPoint>()) | sign_of(float_of(above_one(x)))) & bits_of(x != 1));
  }
  static float outside(float x) { return is_tiny(x) ? -kInfinite : x > 0 ? x : kNotANumber; }
  static float any(float x) { return is_tiny(x) ? unit<Lg2>(x * 0x1p24f) - 24 : unit<Lg2>(x); }

  static Words above_one(Floats x) { return bits_of(x) - each<kOne>; }  // the distance in floats; negative below 1
};

struct KeysOfTurns {
  static Integers key(Floats x) { return signed_of(bits_of(magnitude(x))); }
  static constexpr int32_t kEnd = bits_of(0x1p30f) + 1;  // above that, turns are whole
};
// Turns, in units of 2^-25: ptxas multiplies by 1 / (2 pi), and cuts off. An odd quarter of a turn runs backwards.
struct Sin : KeysOfTurns {
  static constexpr auto& kRows = kSineRows;
  static Words position(Floats x) { return position_of(turns(x)); }
  static Floats result(Floats x, Words position, Sums sums) {
    return float_of(bits_of(sums.cut_off<37 + kZeros>()) | ((sign_of_sine(position) ^ bits_of(x)) & each<0x8000'0000>));
  }
  static float outside(float x) { return magnitude(x) < kInfinite ? with_sign(0.0f, x) : kNotANumber; }
  static float any(float x) { return unit<Sin>(x); }

  static Words turns(Floats x) {
    // A subnormal product may be wrong. It becomes 0.
    const Floats turns = product_toward_zero(magnitude(x), 0x1.45f306p-3f);
    return bits_of(__builtin_convertvector((turns - whole(turns)) * 0x1p25f, Integers));
  }
  static Words position_of(Words turns) { return turns ^ bits_of(signed_of(turns << 8) >> 31); }
  // The highest bit is the sine's sign. Above the row, a position has the bits of an odd quarter inverted, too.
  static Words sign_of_sine(Words position) { return position << 7 ^ position; }
};
struct Cos : KeysOfTurns {  // a quarter of a turn later
  static constexpr auto& kRows = kSineRows;
  static Words position(Floats x) { return Sin::position_of(turns(x)); }
  static Floats result(Floats, Words position, Sums sums) {
    return float_of(bits_of(sums.cut_off<37 + kZeros>()) | (Sin::sign_of_sine(position) & each<0x8000'0000>));
  }
  static float outside(float x) { return magnitude(x) < kInfinite ? 1.0f : kNotANumber; }
  static float any(float x) { return unit<Cos>(x); }

  static Words turns(Floats x) { return Sin::turns(x) + each<1 << 23>; }
};

// Rows for [2^-8, 8). Their width changes with the exponent; each tells 2^17 arguments apart.
struct Tanh {
  static constexpr auto& kRows = kTanhRows;
  static Integers key(Floats x) { return x == x; }
  static constexpr int32_t kEnd = 0;
  static Words position(Floats x) {
    const Floats size = magnitude(x), inside = size < 0x1p-8f ? 0x1p-8f : size < 8 ? size : 0x1.fffffep2f;
    const Words octave = (bits_of(inside) >> 23) - (127 - 8);
    const Floats scale = float_of(looked_up<kOctaves>(kScales, octave));
    return bits_of(__builtin_convertvector(inside * scale, Integers)) + looked_up<kOctaves>(kStarts, octave);
  }
  static Floats result(Floats x, Words, Sums sums) {
    const Floats of_x = magnitude(x);
    return float_of(bits_of(of_x < 0x1p-8f ? of_x : of_x < 8 ? sums.cut_off<39 + kZeros>() : 1) | sign_of(x));
  }
  static float outside(float x) { return x; }  // NaN
  static float any(float x) { return unit<Tanh>(x); }

 private:
  // The position is scale * |x| + start. For the octaves from [2^-8, 2^-7) to [4, 8): scales, as floats, and starts.
  static constexpr size_t kOctaves = 32;  // 11, and zeros, since AVX-512 reads two vectors
  static constexpr uint32_t kScales[kOctaves] = {bits_of(0x1p25f), bits_of(0x1p24f), bits_of(0x1p23f), bits_of(0x1p23f),
                                                 bits_of(0x1p22f), bits_of(0x1p22f), bits_of(0x1p21f), bits_of(0x1p20f),
                                                 bits_of(0x1p20f), bits_of(0x1p20f), bits_of(0x1p18f)};
  static constexpr uint32_t kStarts[kOctaves] = {0xfffe'0000, 0,        1 << 17,  1 << 17,  3 << 17, 3 << 17,
                                                 7 << 17,     11 << 17, 11 << 17, 11 << 17, 35 << 17};
};

// The instructions, in every mode.
template <class F>
float special(float a, FloatMode m) {
  a = input(a, m);
  return finish(m.ftz ? unit<F>(a) : F::any(a), m, a);
}
// A multiplication that rounds to nearest: mul() with its rounding modes does not become a vector loop here.
constexpr float product(float a, float b, FloatMode m) { return finish(flush_tiny(a * b, double{a} * b, m), m, a, b); }
// a times the reciprocal of b, which is flushed to zero above 2^126; div.full divides both by four before.
template <bool full>
float quotient(float a, float b, FloatMode m) {
  a = input(a, m), b = input(b, m);
  const float scale = is_tiny(b) && !m.ftz ? 0x1p24f : full && magnitude(b) > 0x1p126f ? 0.25f : 1.0f;
  return product(product(a, scale, m), unit<Rcp>(b * scale), m);
}

// Halves are cut off, too.
template <class T>
constexpr T half_of(float x) {
  const bool overflows = std::is_same_v<T, Half> && magnitude(x) >= 65536;
  return from_double<T>(overflows ? kInfinite : x, Rounding::kZero);
}
template <class T>
T ex2_half(T a, FloatMode) {
  return half_of<T>(unit<Ex2>(to_float(a)));
}
template <class T>
T tanh_half(T a, FloatMode) {
  return half_of<T>(unit<Tanh>(to_float(a)));
}

// For doubles the unit looks at the upper word only, and gives one.
inline double of_upper_word(uint32_t word) { return double_of(uint64_t{word} << 32); }
inline constexpr uint32_t kSign = 0x8000'0000, kInfinity = 0x7ff0'0000, kNoNumber = 0x7fff'ffff;

// By how many units of 2^-21 a reciprocal is more than 1/2.
constexpr uint32_t upper_word(uint64_t sum) { return static_cast<uint32_t>(sum >> (40 - 21 + kZeros)); }

inline double rcp_approx_f64(double a) {
  const auto word = static_cast<uint32_t>(bits_of(a) >> 32);
  const uint32_t sign = word & kSign, exponent = word >> 20 & 0x7ff, significand = word & 0xf'ffff;
  if (exponent == 0x7ff) return of_upper_word(significand ? kNoNumber : sign);
  if (exponent == 0) return of_upper_word(sign | kInfinity);
  const uint32_t inverse = upper_word(interpolated<kReciprocalRows>(significand << 4));
  // The exponent of the result is 1022 (of 1/2) + 1023 - that of the argument.
  const int32_t result = static_cast<int32_t>(inverse) + (2045 - static_cast<int32_t>(exponent)) * (1 << 20);
  return of_upper_word(result < 1 << 20 ? sign : sign | static_cast<uint32_t>(result));
}

inline double rsqrt_approx_f64(double a) {
  const auto word = static_cast<uint32_t>(bits_of(a) >> 32);
  const uint32_t sign = word & kSign, exponent = word >> 20 & 0x7ff, significand = word & 0xf'ffff;
  if (exponent == 0) return of_upper_word(sign | kInfinity);
  if (sign || (exponent == 0x7ff && significand)) return of_upper_word(kNoNumber);
  if (exponent == 0x7ff) return 0;
  const uint32_t odd = exponent & 1;
  const uint32_t position = (1 - odd) << 23 | significand << 3;
  const uint32_t inverse = position == 0 ? 1 << 20 : upper_word(interpolated<kInverseRootRows>(position));
  // Likewise with half of the argument's exponent, which is even behind 1023 or 1024: 1022 + (1024 - odd - exponent)
  // / 2.
  return of_upper_word(inverse + ((3068 - odd - exponent) / 2 << 20));
}

// rsqrt.approx.f64: one step of Newton's method with an additional term, as ptxas writes it.
inline double refined_inverse_root(double a) {
  const double y = rsqrt_approx_f64(a), error = fused(a, -(y * y), 1.0);
  return fused(fused(error, 0.375, 0.5), y * error, y);
}
inline double rsqrt_f64(double a) {
  if (a == 0) return with_sign(double{kInfinite}, a);
  if (is_nan(a)) return quiet(a);
  if (a < 0) return double_of(uint64_t{0xfff8} << 48);
  if (a < 0x1p-1022) return refined_inverse_root(a * 0x1p54) * 0x1p27;
  return a < double{kInfinite} ? refined_inverse_root(a) : 0;
}

}  // namespace lockstep::LOCKSTEP_ISA
