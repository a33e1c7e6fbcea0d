// arith_special: the functions that PTX approximates (ex2, lg2, sin, cos, tanh, rsqrt), f32, as pure functions of one
// lane. They compute in double, or correct a float's error in double, and round once. The result is the float nearest
// to the true value, except for about one argument in a hundred thousand.
//
// Each approximation has three functions. covers(x) says whether covered(x) may be called. covered(x) has no branches,
// is made for vector loops, and is the same with .ftz. rare(x), for all other arguments, calls the host's function. The
// polynomials are Chebyshev interpolants, computed with 160 bits; the comment beside each gives its largest relative
// error.
#pragma once

#include "alu/arith_float.h"

namespace lockstep::LOCKSTEP_ISA {

// The low bits of x + kRounder are the integer nearest to x, for |x| < 2^22.
inline constexpr float kRounder = 0x1.8p23f;

// Coefficients begin with the constant. They are added in pairs (Estrin's scheme), since the processor would wait for
// each step of one long chain.
template <size_t n>
constexpr double polynomial(double x, const double (&coefficients)[n]) {
  if constexpr (n == 1) {
    return coefficients[0];
  } else {
    double pairs[(n + 1) / 2] = {};
#pragma GCC unroll 4
    for (size_t i = 0; i < n / 2; ++i) pairs[i] = coefficients[2 * i] + coefficients[2 * i + 1] * x;
    if (n % 2 == 1) pairs[n / 2] = coefficients[n - 1];
    return polynomial(x * x, pairs);
  }
}

// 2^f - 1, |f| <= 1/2: 2^-38.8 of 2^f
constexpr double ex2_less_one(double f) {
  constexpr double c[] = {0x1.62e42fef9cc69p-1,  0x1.ebfbdff82a734p-3,  0x1.c6b08da70cce3p-5,  0x1.3b2ab70ad2565p-7,
                          0x1.5d877598350dep-10, 0x1.4308c7183d6a2p-13, 0x1.00c0e4e15189cp-16, 0x1.63b2d7971923fp-20};
  return f * polynomial(f, c);
}
// 2^k, given k + kRounder, for a normal result.
constexpr float power_of_two(float rounder_and_k) { return float_of((bits_of(rounder_and_k) + 127) << 23); }

struct Ex2 {
  static constexpr bool covers(float x) { return x >= -125 || x <= -150; }  // without subnormal results and NaN
  static constexpr float covered(float x) {
    const float inside = x < -125 ? -125 : x < 129 ? x : 129;
    const float shifted = inside + kRounder;
    const double f = inside - (shifted - kRounder);
    const float scaled = static_cast<float>(1 + ex2_less_one(f)) * power_of_two(shifted - 1);
    return x < -125 ? 0 : scaled * 2;  // 2^128 is not a float
  }
  static float rare(float x) { return __builtin_exp2f(x); }
};

// x = m * 2^k, √½ <= m < √2. log2(m) = 2 / ln 2 * artanh(t), t = (m - 1) / (m + 1): 2^-37.8
struct Lg2 {
  static constexpr bool covers(float x) { return bits_of(x) - 0x00800000u < 0x7f000000u; }  // positive and normal
  static constexpr float covered(float x) {
    constexpr double c[] = {0x1.71547652bed13p+1, 0x1.ec709d13c0821p-1, 0x1.27777f461993ep-1, 0x1.a58dceca72ce8p-2,
                            0x1.5ce39e0f72792p-2};
    constexpr uint32_t root_of_half = 0x3f3504f3;
    const int32_t k = static_cast<int32_t>(bits_of(x) - root_of_half) >> 23;
    const double m = float_of(bits_of(x) - (static_cast<uint32_t>(k) << 23));
    const double t = (m - 1) / (m + 1);
    return static_cast<float>(k + t * polynomial(t * t, c));
  }
  static float rare(float x) { return __builtin_log2f(x); }
};

// sin(x - k * π), |x - k * π| about π / 2 at most: 2^-41.5. k * (π's first part) is exact for k < 2^20.
constexpr float sin_less_half_turns(float x, float k) {
  constexpr double c[] = {-0x1.55555555549cbp-3, 0x1.1111110fc0495p-7,   -0x1.a01a0011bd436p-13,
                          0x1.71dd8de2f9bb7p-19, -0x1.ae20c4df64cebp-26, 0x1.54e75e0ac660ep-33};
  const double r = double{x} - double{k} * 0x1.921fb544p+1 - double{k} * 0x1.0b4611a626331p-33;
  const double square = r * r;
  return static_cast<float>(r * (1 + square * polynomial(square, c)));
}
constexpr float negative_if(uint32_t odd, float x) { return float_of(bits_of(x) ^ odd << 31); }
inline constexpr float kHalfTurns = 0x1.45f306p-2f;  // 1 / π

struct Sin {
  static constexpr bool covers(float x) { return magnitude(x) <= 0x1p16f && !is_subnormal(x); }
  static constexpr float covered(float x) {
    const float shifted = x * kHalfTurns + kRounder;
    return negative_if(bits_of(shifted), sin_less_half_turns(x, shifted - kRounder));
  }
  static float rare(float x) { return __builtin_sinf(x); }
};

struct Cos {  // a quarter of a turn later
  static constexpr bool covers(float x) { return magnitude(x) <= 0x1p16f; }
  static constexpr float covered(float x) {
    const float size = magnitude(x);
    const float shifted = (size * kHalfTurns - 0.5f) + kRounder;
    return negative_if(bits_of(shifted) ^ 1, sin_less_half_turns(size, (shifted - kRounder) + 0.5f));
  }
  static float rare(float x) { return __builtin_cosf(x); }
};

// tanh(x) = e / (e + 2), e = exp(2x) - 1. Beyond 10 it rounds to 1.
struct Tanh {
  static constexpr bool covers(float x) { return !is_nan(x); }
  static constexpr float covered(float x) {
    constexpr double two_log2_e = 0x1.71547652b82fep+1;
    const float size = magnitude(x) < 10 ? magnitude(x) : 10;
    const float shifted = size * static_cast<float>(two_log2_e) + kRounder;
    const double power = power_of_two(shifted);
    const double e = power * ex2_less_one(size * two_log2_e - (shifted - kRounder)) + (power - 1);
    return with_sign(static_cast<float>(e / (e + 2)), x);
  }
  static float rare(float x) { return x; }  // NaN
};

// Makes one step of Newton's method from the result of float arithmetic. Roots and quotients in double would take twice
// the time.
struct Rsqrt {
  static constexpr bool covers(float x) { return bits_of(x) - 0x00800000u < 0x7f000000u; }  // positive and normal
  static float covered(float x) {
    const double y = 1.0f / __builtin_sqrtf(x);
    return static_cast<float>(y + y * (0.5 * (1 - x * y * y)));
  }
  static float rare(float x) { return static_cast<float>(1 / __builtin_sqrt(double{x})); }
};

template <class F>
float special(float a, FloatMode m) {
  a = input(a, m);
  return finish(F::covers(a) ? F::covered(a) : F::rare(a), m, a);
}

}  // namespace lockstep::LOCKSTEP_ISA
