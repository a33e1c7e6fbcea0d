// arith_float_test: formats, rounding, half precision and special values, against exact arithmetic.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alu/arith_compare.h"
#include "alu/arith_int.h"
#include "alu/arith_special.h"

namespace lockstep::baseline {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
const float kQuietNan = std::numeric_limits<float>::quiet_NaN();
constexpr FloatMode kPlain{}, kFtz{.ftz = true}, kSat{.sat = true}, kRelu{.relu = true};
FloatMode rounded_to(Rounding r) { return {.rounding = r}; }

// --- the half formats ----------------------------------------------------------------------------------------------

// The value of a format's bits, from its definition.
double value_of(uint32_t bits, Format f) {
  const int bias = (1 << (f.exponent_bits - 1)) - 1;
  const auto fraction = static_cast<double>(bits & ((1u << f.fraction_bits) - 1));
  const auto exponent = static_cast<int>(bits >> f.fraction_bits & ((1u << f.exponent_bits) - 1));
  const double sign = bits >> (f.exponent_bits + f.fraction_bits) & 1 ? -1 : 1;
  if (exponent == (1 << f.exponent_bits) - 1) return fraction != 0 ? NAN : sign * INFINITY;
  if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - f.fraction_bits);
  return sign * std::ldexp(1 + std::ldexp(fraction, -f.fraction_bits), exponent - bias);
}

TEST(ArithHalf, EveryHalfAndBfloatIsReadAndWrittenBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Half h{static_cast<uint16_t>(bits)};
    const Bfloat b{static_cast<uint16_t>(bits)};
    if (is_nan(h)) {
      EXPECT_TRUE(std::isnan(to_float(h)));
      EXPECT_EQ(from_float<Half>(to_float(h)).bits, kNan16);
    } else {
      EXPECT_EQ(double{to_float(h)}, value_of(bits, kHalfFormat)) << bits;
      EXPECT_EQ(from_float<Half>(to_float(h)).bits, bits);
      EXPECT_EQ(encode<kHalfFormat>(to_float(h), Rounding::kZero), bits);
    }
    if (is_nan(b)) {
      EXPECT_EQ(from_float<Bfloat>(to_float(b)).bits, kNan16);
    } else {
      EXPECT_EQ(double{to_float(b)}, value_of(bits, kBfloatFormat)) << bits;
      EXPECT_EQ(from_float<Bfloat>(to_float(b)).bits, bits);
      EXPECT_EQ(encode<kBfloatFormat>(to_float(b), Rounding::kUp), bits);
    }
  }
}

// Finite values are in the order of their bits, so the bits of neighbours differ by one.
template <Format f>
void check_rounding(double x) {
  constexpr uint32_t sign_bit = 1u << (f.exponent_bits + f.fraction_bits);
  const uint32_t toward_zero = encode<f>(x, Rounding::kZero);
  const double inner = value_of(toward_zero, f), outer = value_of(toward_zero + 1, f);
  ASSERT_LE(std::fabs(inner), std::fabs(x));
  ASSERT_TRUE(inner == x || std::fabs(outer) > std::fabs(x)) << x;
  const uint32_t away = inner == x ? toward_zero : toward_zero + 1;
  EXPECT_EQ(encode<f>(x, Rounding::kUp), toward_zero & sign_bit ? toward_zero : away);
  EXPECT_EQ(encode<f>(x, Rounding::kDown), toward_zero & sign_bit ? away : toward_zero);
  if (std::isinf(outer)) return;  // rounding to nearest overflows by another rule; tested below
  const double below = std::fabs(x - inner), above = std::fabs(outer - x);
  const uint32_t even = toward_zero & 1 ? toward_zero + 1 : toward_zero;
  EXPECT_EQ(encode<f>(x, Rounding::kNearest), below < above ? toward_zero : above < below ? away : even) << x;
  EXPECT_EQ(encode<f>(x, Rounding::kNearestAway), below < above ? toward_zero : inner == x ? toward_zero : away) << x;
}

TEST(ArithHalf, RoundsInAllDirections) {
  std::mt19937_64 random(2);
  for (int i = 0; i < 200000; ++i) {
    const int exponent = static_cast<int>(random() % 48) - 30;
    // Few bits, so that there are ties and exact values.
    const double x = std::ldexp(static_cast<double>(random() % (1u << (1 + i % 30))) * (i & 1 ? 1 : -1), exponent - 20);
    if (std::fabs(x) < 65504) check_rounding<kHalfFormat>(x);
    check_rounding<kBfloatFormat>(x);
    check_rounding<kTf32Format>(x);
    check_rounding<kBfloatFormat>(std::ldexp(x, -120));
  }
  EXPECT_EQ(encode<kHalfFormat>(65519.99, Rounding::kNearest), 0x7bffu);
  EXPECT_EQ(encode<kHalfFormat>(65520, Rounding::kNearest), 0x7c00u);
  EXPECT_EQ(encode<kHalfFormat>(-1e9, Rounding::kZero), 0xfbffu);
  EXPECT_EQ(encode<kHalfFormat>(-1e9, Rounding::kUp), 0xfbffu);
  EXPECT_EQ(encode<kHalfFormat>(-1e9, Rounding::kDown), 0xfc00u);
  EXPECT_EQ(encode<kHalfFormat>(5e-324, Rounding::kUp), 1u);
  EXPECT_EQ(encode<kHalfFormat>(NAN, Rounding::kNearest), 0x7fffu);
}

TEST(ArithHalf, TheShortWaysAgreeWithTheLongOne) {
  for (uint64_t bits = 0; bits < uint64_t{1} << 32; bits += 4093) {
    const float x = float_of(static_cast<uint32_t>(bits));
    EXPECT_EQ(from_float<Half>(x).bits, encode<kHalfFormat>(x, Rounding::kNearest)) << bits;
    EXPECT_EQ(from_float<Bfloat>(x).bits, encode<kBfloatFormat>(x, Rounding::kNearest)) << bits;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 300000; ++i) {
    // Ties of the half formats, and the doubles next to them.
    const double tie = (to_double(Half{static_cast<uint16_t>(random() % 0x7c00)}) +
                        to_double(Half{static_cast<uint16_t>(random() % 0x7c00)})) /
                       2;
    for (const double x : {tie, std::nextafter(tie, 0), std::nextafter(tie, 1e9)}) {
      EXPECT_EQ(from_nearest<Half>(x).bits, encode<kHalfFormat>(x, Rounding::kNearest)) << x;
      EXPECT_EQ(from_nearest<Bfloat>(x).bits, encode<kBfloatFormat>(x, Rounding::kNearest)) << x;
    }
  }
}

// A finite half is a whole multiple of 2^-24, which makes sums and products exact in 128-bit integers.
Int128 units(Half h, int unit) { return static_cast<Int128>(std::ldexp(to_double(h), unit)); }

// Whether r is the half nearest to exact * 2^-48, ties to even.
void expect_nearest(Int128 exact, Half r, const char* what) {
  if ((r.bits & 0x7fff) == 0x7c00) {
    EXPECT_GE(exact < 0 ? -exact : exact, static_cast<Int128>(65520) << 48) << what;
    return;
  }
  const auto distance = [&](Half h) {
    const Int128 d = units(h, 48) - exact;
    return d < 0 ? -d : d;
  };
  const Int128 here = distance(r);
  for (const int step : {-1, 1}) {
    const Half neighbour{static_cast<uint16_t>(r.bits + step)};
    if ((neighbour.bits & 0x7fff) >= 0x7c00 || (r.bits & 0x7fff) == 0) continue;
    EXPECT_TRUE(here < distance(neighbour) || (here == distance(neighbour) && !(r.bits & 1))) << what << " " << r.bits;
  }
}

TEST(ArithHalf, SumsProductsAndFusedOnesRoundOnce) {
  std::mt19937_64 random(4);
  const auto any = [&] {
    uint16_t bits;
    do bits = static_cast<uint16_t>(random());
    while ((bits & 0x7c00) == 0x7c00);
    return Half{bits};
  };
  for (int i = 0; i < 200000; ++i) {
    const Half a = any(), b = any(), c = any();
    expect_nearest(units(a, 48) + units(b, 48), add_half(a, b, kPlain), "add");
    expect_nearest(units(a, 48) - units(b, 48), sub_half(a, b, kPlain), "sub");
    expect_nearest(units(a, 24) * units(b, 24), mul_half(a, b, kPlain), "mul");
    expect_nearest(units(a, 24) * units(b, 24) + units(c, 48), fma_half(a, b, c, kPlain), "fma");
  }
  // 1.5 * 2^-24 is exactly between two subnormals. The product is a little beside it, too little for a double.
  EXPECT_EQ(fma_half(Half{0x3e00}, Half{0x0001}, Half{0x0000}, kPlain).bits, 0x0002);
  EXPECT_EQ(fma_half(Half{0x7800}, Half{0x3c01}, Half{0x8001}, kPlain).bits, 0x7801);
}

TEST(ArithHalf, BfloatProductsMayBeSubnormal) {
  const Bfloat tiny{0x0080};  // 2^-126
  EXPECT_EQ(mul_half(tiny, Bfloat{0x3f00}, kPlain).bits, 0x0040);
  EXPECT_EQ(mul_half(Bfloat{0x00ff}, Bfloat{0x3c01}, kPlain).bits,
            encode<kBfloatFormat>(to_double(Bfloat{0x00ff}) * to_double(Bfloat{0x3c01}), Rounding::kNearest));
  EXPECT_EQ(fma_half(Bfloat{0x3f81}, Bfloat{0x3f81}, Bfloat{0x0001}, kPlain).bits, 0x3f82);
}

// --- f32 and f64 --------------------------------------------------------------------------------------------------

TEST(ArithFloat, DirectedRoundingEnclosesTheExactResult) {
  std::mt19937 random(5);
  std::uniform_real_distribution<float> around(-4, 4);
  for (int i = 0; i < 100000; ++i) {
    const float a = around(random), b = around(random), c = around(random);
    const double exact[] = {double{a} + b, double{a} * b};
    const auto compute = [&](int which, Rounding r) {
      const FloatMode m = rounded_to(r);
      return which == 0 ? add(a, b, m) : which == 1 ? mul(a, b, m) : fma(a, b, c, m);
    };
    for (int which = 0; which < 2; ++which) {  // both are exact in double
      const double x = exact[which];
      const float down = compute(which, Rounding::kDown), up = compute(which, Rounding::kUp);
      EXPECT_LE(double{down}, x);
      EXPECT_GE(double{up}, x);
      EXPECT_TRUE(down == up ? double{down} == x : std::nextafter(down, kInfinity) == up);
      EXPECT_EQ(compute(which, Rounding::kZero), x > 0 ? down : up);
      EXPECT_EQ(compute(which, Rounding::kNearest), static_cast<float>(x));
    }
    EXPECT_LE(compute(2, Rounding::kDown), compute(2, Rounding::kNearest));
    EXPECT_GE(compute(2, Rounding::kUp), compute(2, Rounding::kNearest));
  }
  const float third_down = div(1.0f, 3.0f, rounded_to(Rounding::kDown)),
              third_up = div(1.0f, 3.0f, rounded_to(Rounding::kUp));
  EXPECT_TRUE(double{third_down} * 3 < 1 && double{third_up} * 3 > 1 && std::nextafter(third_down, 1.0f) == third_up);
  EXPECT_LT(sqrt(2.0, rounded_to(Rounding::kDown)), sqrt(2.0, rounded_to(Rounding::kUp)));
  EXPECT_EQ(std::fegetround(), FE_TONEAREST);
}

TEST(ArithFloat, NansAreCanonicalInSinglePrecisionAndKeptInDouble) {
  EXPECT_EQ(bits_of(add(kInfinity, -kInfinity, kPlain)), 0x7fffffffu);
  EXPECT_EQ(bits_of(mul(float_of(0xffc12345), 1.0f, kPlain)), 0x7fffffffu);
  EXPECT_EQ(bits_of(sqrt(-1.0f, kPlain)), 0x7fffffffu);
  EXPECT_EQ(bits_of(neg(kQuietNan, kPlain)), 0x7fffffffu);
  EXPECT_EQ(bits_of(sqrt(-1.0, kPlain)), 0xfff8000000000000u);
  EXPECT_EQ(bits_of(add(1.0, double_of(0x7ff0000000000123), kPlain)), 0x7ff8000000000123u);
}

TEST(ArithFloat, FlushesSubnormalsOnTheWayInAndOut) {
  const float tiny = 1e-40f, least = 0x1p-126f;
  EXPECT_EQ(bits_of(add(tiny, -0.0f, kPlain)), bits_of(tiny));
  EXPECT_EQ(bits_of(add(-tiny, -0.0f, kFtz)), 0x80000000u);
  EXPECT_EQ(bits_of(mul(least, 0.5f, kFtz)), 0u);
  EXPECT_EQ(bits_of(mul(-least, 0.5f, kFtz)), 0x80000000u);
  EXPECT_EQ(bits_of(mul(least, float_of(0x3f7fffff), kPlain)), bits_of(least));  // rounds up to a normal number,
  EXPECT_EQ(bits_of(mul(least, float_of(0x3f7fffff), kFtz)), 0u);                // but is subnormal before that
  EXPECT_EQ(mul_half(Half{0x0400}, Half{0x3bff}, kFtz).bits, 0);
}

TEST(ArithFloat, SaturatesAndRectifies) {
  EXPECT_EQ(add(0.75f, 0.75f, kSat), 1.0f);
  EXPECT_EQ(bits_of(add(-3.0f, 1.0f, kSat)), 0u);
  EXPECT_EQ(bits_of(add(kQuietNan, 1.0f, kSat)), 0u);
  EXPECT_EQ(fma_half(Half{0xc000}, Half{0x3c00}, Half{0}, kRelu).bits, 0);
  EXPECT_EQ(fma_half(Half{0x8000}, Half{0x3c00}, Half{0x8000}, kRelu).bits, 0);  // -0 too
  EXPECT_EQ(fma_half(Half{0x7e00}, Half{0x3c00}, Half{0}, kRelu).bits, kNan16);
}

TEST(ArithFloat, MinAndMax) {
  EXPECT_EQ(min(kQuietNan, 2.0f, kPlain), 2.0f);
  EXPECT_EQ(max(2.0f, kQuietNan, kPlain), 2.0f);
  EXPECT_EQ(bits_of(min(kQuietNan, kQuietNan, kPlain)), 0x7fffffffu);
  EXPECT_EQ(bits_of(max(1.0f, kQuietNan, {.nan = true})), 0x7fffffffu);
  EXPECT_EQ(bits_of(min(0.0f, -0.0f, kPlain)), 0x80000000u);
  EXPECT_EQ(bits_of(max(-0.0f, 0.0f, kPlain)), 0u);
  EXPECT_EQ(min(-3.0f, 2.0f, {.xorsign_abs = true}), -2.0f);
  EXPECT_EQ(max(-3.0f, -2.0f, {.xorsign_abs = true}), 3.0f);
  EXPECT_EQ(min3(3.0f, kQuietNan, 1.0f, kPlain), 1.0f);
  EXPECT_EQ(max3(3.0f, -5.0f, 1.0f, {.abs = true}), 5.0f);
  EXPECT_TRUE(is_nan(max3(3.0f, kQuietNan, 1.0f, {.nan = true})));
  EXPECT_EQ(min_half(Half{0xbc00}, Half{0x7e00}, kPlain).bits, 0xbc00);
  EXPECT_EQ(copysign(-1.0f, 3.0f), -3.0f);
}

TEST(ArithFloat, DivisionApproximations) {
  EXPECT_EQ(quotient<false>(6.0f, 3.0f, kPlain), 2.0f);
  EXPECT_EQ(bits_of(quotient<false>(-6.0f, 0x1.8p126f, kPlain)), 0x80000000u);  // the reciprocal is flushed
  EXPECT_EQ(quotient<true>(-0x1.8p126f, 0x1.8p126f, kPlain), -1.0f);
  EXPECT_TRUE(is_nan(quotient<false>(kInfinity, 0x1.8p126f, kPlain)));
  EXPECT_EQ(rsqrt_f64(4.0), 0.5);
  EXPECT_EQ(rsqrt_f64(0x1p-1074), 0x1p537);
}

// --- comparisons --------------------------------------------------------------------------------------------------

TEST(ArithCompare, OrderedOnesFailOnNanAndUnorderedOnesHold) {
  using enum Comparison;
  EXPECT_FALSE((compare(kEq, kQuietNan, 1.0f) || compare(kNe, kQuietNan, 1.0f) || compare(kLt, kQuietNan, 1.0f) ||
                compare(kLe, kQuietNan, 1.0f) || compare(kGt, kQuietNan, 1.0f) || compare(kGe, 1.0f, kQuietNan) ||
                compare(kNum, 1.0f, kQuietNan)));
  EXPECT_TRUE((compare(kEqu, kQuietNan, 1.0f) && compare(kNeu, kQuietNan, 1.0f) && compare(kLtu, kQuietNan, 1.0f) &&
               compare(kLeu, kQuietNan, 1.0f) && compare(kGtu, kQuietNan, 1.0f) && compare(kGeu, 1.0f, kQuietNan) &&
               compare(Comparison::kNan, 1.0f, kQuietNan)));
  EXPECT_TRUE(
      (compare(kEq, 0.0f, -0.0f) && compare(kLt, 1.0f, 2.0f) && compare(kNe, 1.0f, 2.0f) && compare(kNum, 1.0f, 2.0f)));
  EXPECT_FALSE((compare(kEqu, 1.0f, 2.0f) || compare(kNeu, 1.0f, 1.0f) || compare(kGtu, 1.0f, 2.0f) ||
                compare(Comparison::kNan, 1.0f, 2.0f)));
  EXPECT_TRUE((compare(kLt, Half{0xbc00}, Half{0x0001}) && !compare(kEq, Half{kNan16}, Half{kNan16})));
  EXPECT_TRUE((compare(kGt, ~0u, 1u) && compare(kLt, -1, 1)));
}

TEST(ArithCompare, Combines) {
  EXPECT_EQ(combine(Combination::kNone, 0b1100, 0b1010), 0b1100u);
  EXPECT_EQ(combine(Combination::kAnd, 0b1100, 0b1010), 0b1000u);
  EXPECT_EQ(combine(Combination::kOr, 0b1100, 0b1010), 0b1110u);
  EXPECT_EQ(combine(Combination::kXor, 0b1100, 0b1010), 0b0110u);
}

TEST(ArithFloat, Testp) {
  EXPECT_TRUE(testp<FloatClass::kNormal>(0.0f));
  EXPECT_TRUE(testp<FloatClass::kSubnormal>(1e-40f));
  EXPECT_FALSE(testp<FloatClass::kNormal>(1e-40f));
  EXPECT_TRUE(testp<FloatClass::kInfinite>(-kInfinity));
  EXPECT_FALSE(testp<FloatClass::kFinite>(kQuietNan));
  EXPECT_TRUE(testp<FloatClass::kNotANumber>(kQuietNan));
  EXPECT_TRUE(testp<FloatClass::kNumber>(kInfinity));
}

}  // namespace
}  // namespace lockstep::baseline
