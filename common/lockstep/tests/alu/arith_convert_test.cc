// arith_convert_test: cvt: whole numbers, ranges, NaN, and integers into half precision.

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "alu/arith_convert.h"

namespace lockstep::baseline {
namespace {

FloatMode integral(Rounding r) { return {.rounding = r, .integral = true}; }
constexpr FloatMode kPlain{}, kSat{.sat = true};

TEST(ArithConvert, RoundsToWholeNumbers) {
  struct Row {
    double x, nearest, zero, down, up;
  };
  for (const Row row : {Row{2.5, 2, 2, 2, 3}, Row{3.5, 4, 3, 3, 4}, Row{-2.5, -2, -2, -3, -2}, Row{-0.5, 0, 0, -1, 0},
                        Row{0.49999999999999994, 0, 0, 0, 1}, Row{7, 7, 7, 7, 7}, Row{-7.25, -7, -7, -8, -7}}) {
    EXPECT_EQ(convert<int64_t>(row.x, integral(Rounding::kNearest)), row.nearest);
    EXPECT_EQ(convert<int64_t>(row.x, integral(Rounding::kZero)), row.zero);
    EXPECT_EQ(convert<int64_t>(row.x, integral(Rounding::kDown)), row.down);
    EXPECT_EQ(convert<int64_t>(row.x, integral(Rounding::kUp)), row.up);
    EXPECT_EQ(convert<double>(row.x, integral(Rounding::kDown)), row.down);
    EXPECT_EQ(convert<float>(row.x, integral(Rounding::kUp)), static_cast<float>(row.up));
  }
  EXPECT_EQ(bits_of(convert<float>(-0.25f, integral(Rounding::kNearest))), 0x80000000u);
  EXPECT_EQ(convert<double>(0x1.8p60 + 1, integral(Rounding::kNearest)), 0x1.8p60 + 1);
}

TEST(ArithConvert, ClampsWhatDoesNotFit) {
  const FloatMode rzi = integral(Rounding::kZero);
  EXPECT_EQ(convert<int32_t>(1e10f, rzi), kMax<int32_t>);
  EXPECT_EQ(convert<int32_t>(-INFINITY, rzi), kMin<int32_t>);
  EXPECT_EQ(convert<uint32_t>(-1.0f, rzi), 0u);
  EXPECT_EQ(convert<uint32_t>(4294967295.0, rzi), ~0u);
  EXPECT_EQ(convert<uint8_t>(255.9f, rzi), 255);
  EXPECT_EQ(convert<int8_t>(-129.0f, rzi), -128);
  EXPECT_EQ(convert<int64_t>(0x1p63f, rzi), kMax<int64_t>);
  EXPECT_EQ(convert<uint64_t>(0x1p64, rzi), kMax<uint64_t>);
  EXPECT_EQ(convert<uint64_t>(0x1.fffffffffffffp63, rzi), 0xfffffffffffff800u);
  EXPECT_EQ((integer_to_integer<uint8_t, int32_t>(300, true)), 255);
  EXPECT_EQ((integer_to_integer<uint8_t, int32_t>(-1, true)), 0);
  EXPECT_EQ((integer_to_integer<int32_t, uint64_t>(~uint64_t{0}, true)), kMax<int32_t>);
  EXPECT_EQ((integer_to_integer<uint8_t, int32_t>(300, false)), 44);
}

TEST(ArithConvert, NanBecomesZeroOrTheTopBit) {
  const FloatMode rzi = integral(Rounding::kZero);
  EXPECT_EQ(convert<int32_t>(float{NAN}, rzi), 0);
  EXPECT_EQ(convert<uint16_t>(Half{kNan16}, rzi), 0);
  EXPECT_EQ(convert<int64_t>(float{NAN}, rzi), kMin<int64_t>);
  EXPECT_EQ(convert<uint64_t>(float{NAN}, rzi), uint64_t{1} << 63);
  EXPECT_EQ(convert<int32_t>(double{NAN}, rzi), kMin<int32_t>);
}

TEST(ArithConvert, IntegersRoundOnceIntoEveryFormat) {
  EXPECT_EQ(convert<float>((1 << 24) + 1, kPlain), 0x1p24f);
  EXPECT_EQ(convert<float>((1 << 24) + 1, {.rounding = Rounding::kUp}), 0x1p24f + 2);
  EXPECT_EQ(convert<float>(~uint64_t{0}, {.rounding = Rounding::kZero}), 0x1.fffffep63f);
  EXPECT_EQ(convert<double>(kMax<int64_t>, {.rounding = Rounding::kDown}), 0x1.fffffffffffffp62);
  // Above a tie of bf16, by less than the distance of two doubles there.
  const uint64_t tie = (uint64_t{1} << 62) + (uint64_t{1} << 54);
  EXPECT_EQ(convert<Bfloat>(tie, kPlain).bits, 0x5e80);
  EXPECT_EQ(convert<Bfloat>(tie + 1, kPlain).bits, 0x5e81);
  EXPECT_EQ(convert<Bfloat>(-static_cast<int64_t>(tie + 1), kPlain).bits, 0xde81);
  EXPECT_EQ(convert<Half>(65519, kPlain).bits, 0x7bff);
  EXPECT_EQ(convert<Half>(65520, kPlain).bits, 0x7c00);
}

TEST(ArithConvert, BetweenFloats) {
  EXPECT_EQ(convert<float>(0.1, {.rounding = Rounding::kDown}), 0x1.999998p-4f);
  EXPECT_EQ(convert<float>(0.1, {.rounding = Rounding::kUp}), 0x1.99999ap-4f);
  EXPECT_EQ(convert<Half>(1e-40f, FloatMode{.rounding = Rounding::kUp, .ftz = true}).bits, 1);  // no .ftz with f16
  EXPECT_EQ(convert<Half>(70000.0f, {.satfinite = true}).bits, 0x7bff);
  EXPECT_EQ(convert<Half>(-2.0f, {.relu = true}).bits, 0);
  EXPECT_EQ(convert<float>(2.0f, kSat), 1.0f);
  EXPECT_EQ(bits_of(convert<float>(float{NAN}, kSat)), 0u);
  EXPECT_EQ(convert_pair<Half>(1.0f, -2.0f, kPlain).bits, 0x3c00c000u);
  EXPECT_EQ(convert_pair<Bfloat>(1.0f, -2.0f, kPlain).bits, 0x3f80c000u);
  EXPECT_EQ(to_tf32(float_of(0x3f801000), {.rounding = Rounding::kNearestAway}), 0x3f802000u);
  EXPECT_EQ(to_tf32(float_of(0x3f801000), kPlain), 0x3f800000u);
  EXPECT_EQ(to_tf32(float_of(0x3f803fff), {.rounding = Rounding::kZero}), 0x3f802000u);
}

TEST(ArithConvert, Packs) {
  EXPECT_EQ(pack_saturated(70000, -70000, 0, 16, true), 0x7fff8000u);
  EXPECT_EQ(pack_saturated(70000, -5, 0, 16, false), 0xffff0000u);
  EXPECT_EQ(pack_saturated(300, -5, 0xabcd, 8, false), 0xabcdff00u);
  EXPECT_EQ(pack_saturated(7, -9, 0x123456, 4, true), 0x12345678u);
}

}  // namespace
}  // namespace lockstep::baseline
