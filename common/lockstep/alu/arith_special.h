// arith_special: the functions that PTX approximates (rcp, sqrt, rsqrt, ex2, lg2, sin, cos, tanh, and the division made
// of rcp), as pure functions of one lane. They have the card's bits (alu/interpolation.h).
//
// Each function has these parts:
// - covers(x): whether the unit interpolates, so that the next two may be called. They have no branches, are made for
//   vector loops, and are the same with .ftz.
// - position(x): the row, and the x in it. It may have more bits for result().
// - result(x, position, sum): the float that the unit makes of the sum.
// - outside(x): what the unit answers to all other arguments; for it a subnormal is zero.
// - any(x): the instruction without .ftz. For subnormals ptxas writes other instructions around the unit.
#pragma once

#include "alu/arith_float.h"
#include "alu/interpolation.h"

namespace lockstep::LOCKSTEP_ISA {

template <class F>
constexpr float covered(float x) {
  const uint32_t position = F::position(x);
  return F::result(x, position, interpolated(F::kRows, position));
}
template <class F>
constexpr float unit(float x) {
  return F::covers(x) ? covered<F>(x) : F::outside(x);
}

inline constexpr float kInfinite = std::numeric_limits<float>::infinity();
inline constexpr float kNotANumber = std::numeric_limits<float>::quiet_NaN();
constexpr bool is_tiny(float x) { return magnitude(x) < 0x1p-126f; }  // zero or subnormal
constexpr bool is_normal_and_positive(float x) { return bits_of(x) - 0x00800000u < 0x7f000000u; }
// By how many halves or doubles a float is away from [1, 2), in the exponent's place.
constexpr uint32_t octaves(float x) { return (bits_of(x) & 0x7f800000) - bits_of(1.0f); }
// Half as many, for roots. They are taken of [1, 2) or [2, 4).
constexpr uint32_t half_of_octaves(float x) {
  return static_cast<uint32_t>(static_cast<int32_t>(octaves(x)) >> 24) << 23;
}
constexpr uint32_t position_for_root(float x) { return (bits_of(x) ^ 0x800000) & 0xffffff; }

struct Rcp {
  static constexpr auto& kRows = kReciprocalRows;
  static constexpr bool covers(float x) { return magnitude(x) >= 0x1p-126f && magnitude(x) <= 0x1p126f; }
  static constexpr uint32_t position(float x) { return (bits_of(x) & 0x7fffff) * 2; }
  static constexpr float result(float x, uint32_t, double sum) {
    return with_sign(float_of(bits_of(cut_off(sum * 0x1p-40)) - octaves(x)), x);
  }
  static constexpr float outside(float x) { return is_nan(x) ? x : with_sign(is_tiny(x) ? kInfinite : 0.0f, x); }
  static constexpr float any(float x) {
    const float scale = is_tiny(x) ? 0x1p24f : magnitude(x) > 0x1p126f ? 0.25f : 1.0f;
    return unit<Rcp>(x * scale) * scale;
  }
};

struct Rsqrt {
  static constexpr auto& kRows = kInverseRootRows;
  static constexpr bool covers(float x) { return is_normal_and_positive(x); }
  static constexpr uint32_t position(float x) { return position_for_root(x); }
  static constexpr float result(float x, uint32_t position, double sum) {
    const float inverse = position == 0 ? 1 : cut_off(sum * 0x1p-40);
    return float_of(bits_of(inverse) - half_of_octaves(x));
  }
  static constexpr float outside(float x) { return is_tiny(x) ? with_sign(kInfinite, x) : x > 0 ? 0.0f : kNotANumber; }
  static constexpr float any(float x) { return is_tiny(x) ? unit<Rsqrt>(x * 0x1p24f) * 0x1p12f : unit<Rsqrt>(x); }
};

struct Sqrt {
  static constexpr auto& kRows = kRootRows;
  static constexpr bool covers(float x) { return is_normal_and_positive(x); }
  static constexpr uint32_t position(float x) { return position_for_root(x); }
  static constexpr float result(float x, uint32_t, double sum) {
    return float_of(bits_of(cut_off(sum * 0x1p-40)) + half_of_octaves(x));
  }
  static constexpr float outside(float x) { return is_tiny(x) ? with_sign(0.0f, x) : x > 0 ? x : kNotANumber; }
  static constexpr float any(float x) { return is_tiny(x) ? unit<Sqrt>(x * 0x1p24f) * 0x1p-12f : unit<Sqrt>(x); }
};

// The argument's size is cut off to multiples of 2^-23. A negative one is then negated bit by bit, if it is not whole.
// The highest 8 bits of the position are the result's exponent.
struct Ex2 {
  static constexpr auto& kRows = kPowerRows;
  // Left out: NaN, and results that are subnormal without .ftz. 2^-151 rounds to zero.
  static constexpr bool covers(float x) { return x >= -126 || x <= -151; }
  static constexpr uint32_t position(float x) {
    const float inside = x < -126 ? -126 : x < 128 ? x : 128;
    const auto size = static_cast<int32_t>(inside * 0x1p23f);
    const auto parts = static_cast<uint32_t>(size < 0 && (size & 0x7fffff) != 0 ? size - 1 : size);
    return ((parts + bits_of(1.0f)) & 0xff800000) << 1 | (parts & 0x7fffff);
  }
  static constexpr float result(float x, uint32_t position, double sum) {
    const uint32_t power = bits_of(cut_off(sum * 0x1p-38)) - bits_of(1.0f) + (position >> 24 << 23);
    return x < -126 ? 0 : float_of(power);  // 2^128 is infinite
  }
  static constexpr float outside(float x) { return is_nan(x) ? x : 0.0f; }
  static constexpr float any(float x) {
    const float root = unit<Ex2>(x * 0.5f);
    return x < -126 ? root * root : unit<Ex2>(x);
  }
};

// The logarithm of the significand behind that of the exponent. A negative sum is negated bit by bit; the two lowest
// bits are cut off.
struct Lg2 {
  static constexpr auto& kRows = kLogarithmRows;
  static constexpr bool covers(float x) { return is_normal_and_positive(x); }
  static constexpr uint32_t position(float x) { return bits_of(x) & 0x7fffff; }
  static constexpr float result(float x, uint32_t, double sum) {
    const int32_t octave = static_cast<int32_t>(octaves(x)) >> 23;
    const double size = magnitude(octave * 0x1p38 + sum + 0.5);  // 1/2 more than the size
    const double fours = (size * 0.25 - 0.5 + 0x1.8p52) - 0x1.8p52;
    const uint32_t sign = (bits_of(x) - bits_of(1.0f)) & 0x80000000;
    return x == 1 ? 0 : float_of(bits_of(cut_off(fours * 0x1p-36)) | sign);
  }
  static constexpr float outside(float x) { return is_tiny(x) ? -kInfinite : x > 0 ? x : kNotANumber; }
  static constexpr float any(float x) { return is_tiny(x) ? unit<Lg2>(x * 0x1p24f) - 24 : unit<Lg2>(x); }
};

// Turns, in units of 2^-25: ptxas multiplies by 1 / (2 pi), and cuts off. An odd quarter of a turn runs backwards.
// The highest bit of the position is the sign.
struct Sin {
  static constexpr auto& kRows = kSineRows;
  static constexpr bool covers(float x) { return magnitude(x) <= 0x1p50f; }  // turns() rounds numbers below 2^51
  static constexpr uint32_t position(float x) { return of_turns(turns(x)) ^ (bits_of(x) & 0x80000000); }
  static constexpr float result(float, uint32_t position, double sum) {
    return float_of(bits_of(cut_off(sum * 0x1p-37)) | (position & 0x80000000));
  }
  static constexpr float outside(float x) { return magnitude(x) < kInfinite ? with_sign(0.0f, x) : kNotANumber; }
  static constexpr float any(float x) { return unit<Sin>(x); }

  static constexpr uint32_t turns(float x) {
    const double turns = without_low_bits(magnitude(x) * double{0x1.45f306p-3f});
    const double whole = (turns + 0x1.8p52) - 0x1.8p52;
    return static_cast<uint32_t>(static_cast<int32_t>((turns - whole) * 0x1p25));
  }
  static constexpr uint32_t of_turns(uint32_t turns) {
    return ((turns ^ -(turns >> 23 & 1)) & 0x7fffff) | (turns << 7 & 0x80000000);
  }
};
struct Cos {  // a quarter of a turn later
  static constexpr auto& kRows = kSineRows;
  static constexpr bool covers(float x) { return Sin::covers(x); }
  static constexpr uint32_t position(float x) { return Sin::of_turns(Sin::turns(x) + (1u << 23)); }
  static constexpr float result(float x, uint32_t position, double sum) { return Sin::result(x, position, sum); }
  static constexpr float outside(float x) { return magnitude(x) < kInfinite ? 1.0f : kNotANumber; }
  static constexpr float any(float x) { return unit<Cos>(x); }
};

// Rows for [2^-8, 8). Their width changes with the exponent; each tells 2^17 arguments apart.
struct Tanh {
  static constexpr auto& kRows = kTanhRows;
  static constexpr bool covers(float x) { return !is_nan(x); }
  static constexpr uint32_t position(float x) {
    const float size = magnitude(x), inside = size < 0x1p-8f ? 0x1p-8f : size < 8 ? size : 0x1.fffffep2f;
    uint32_t doublings = 0, rows = 0;
    for (const Wider& wider : kWider) {
      doublings += inside >= wider.from ? wider.doublings : 0;
      rows += inside >= wider.from ? wider.rows : 0;
    }
    const float scale = float_of(bits_of(0x1p25f) - (doublings << 23));
    return static_cast<uint32_t>(static_cast<int32_t>(inside * scale)) + ((rows - 1) << 17);
  }
  static constexpr float result(float x, uint32_t, double sum) {
    const float size = magnitude(x);
    return with_sign(size < 0x1p-8f ? size : size < 8 ? cut_off(sum * 0x1p-39) : 1, x);
  }
  static constexpr float outside(float x) { return x; }  // NaN
  static constexpr float any(float x) { return unit<Tanh>(x); }

 private:
  // From 2^-8 on a row is 2^-8 wide. From each of these sizes on it is wider. `rows`: how many more rows there are
  // below than if all were so wide.
  struct Wider {
    float from;
    uint32_t doublings, rows;
  };
  static constexpr Wider kWider[] = {{0x1p-7f, 1, 1}, {0x1p-6f, 1, 1}, {0x1p-4f, 1, 2},
                                     {0x1p-2f, 1, 4}, {0x1p-1f, 1, 4}, {4, 2, 24}};
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
constexpr T ex2_half(T a, FloatMode) {
  return half_of<T>(unit<Ex2>(to_float(a)));
}
template <class T>
constexpr T tanh_half(T a, FloatMode) {
  return half_of<T>(unit<Tanh>(to_float(a)));
}

// For doubles the unit looks at the upper word only, and gives one.
inline double of_upper_word(uint32_t word) { return double_of(uint64_t{word} << 32); }
inline constexpr uint32_t kSign = 0x8000'0000, kInfinity = 0x7ff0'0000, kNoNumber = 0x7fff'ffff;

// The sum of 1/2 and so many units of 2^-21.
constexpr uint32_t upper_word_less_half(double sum) {
  return static_cast<uint32_t>(static_cast<int64_t>(sum - 0x1p39) >> 19);
}

inline double rcp_approx_f64(double a) {
  const auto word = static_cast<uint32_t>(bits_of(a) >> 32);
  const uint32_t sign = word & kSign, exponent = word >> 20 & 0x7ff, significand = word & 0xf'ffff;
  if (exponent == 0x7ff) return of_upper_word(significand ? kNoNumber : sign);
  if (exponent == 0) return of_upper_word(sign | kInfinity);
  const uint32_t inverse = upper_word_less_half(interpolated(kReciprocalRows, significand << 4));
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
  const uint32_t inverse = position == 0 ? 1 << 20 : upper_word_less_half(interpolated(kInverseRootRows, position));
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
