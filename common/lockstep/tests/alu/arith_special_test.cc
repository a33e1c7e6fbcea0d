// arith_special_test: the approximations in every copy of the handlers. Warps and lanes alone return the same, in every
// mode, for 130,000 arguments, edge cases included. The squares and the sums of vectors are those of one position.
// alu_hardware_test and the programs approximations and math_functions show that these are a card's bits.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <functional>
#include <random>
#include <vector>

#include "alu/alu_table.h"
#include "alu/arith_special.h"
#include "tests/alu/alu_statement.h"

namespace lockstep {
namespace {

constexpr uint32_t kD = 512, kA = 1024, kB = 1536;

using Lane = std::function<float(float, float, baseline::FloatMode)>;
template <class F>
Lane one_source() {
  return [](float a, float, baseline::FloatMode m) { return baseline::special<F>(a, m); };
}
const struct Function {
  const char* name;
  Lane lane;
} kFunctions[] = {
    {"rcp.approx.f32", one_source<baseline::Rcp>()},     {"sqrt.approx.f32", one_source<baseline::Sqrt>()},
    {"rsqrt.approx.f32", one_source<baseline::Rsqrt>()}, {"ex2.approx.f32", one_source<baseline::Ex2>()},
    {"lg2.approx.f32", one_source<baseline::Lg2>()},     {"sin.approx.f32", one_source<baseline::Sin>()},
    {"cos.approx.f32", one_source<baseline::Cos>()},     {"tanh.approx.f32", one_source<baseline::Tanh>()},
    {"div.approx.f32", baseline::quotient<false>},       {"div.full.f32", baseline::quotient<true>}};

using Floats = std::vector<float>;

// a, b: a multiple of 32 lanes.
Floats run(AluHandler handler, const AluOperands& modes, const Floats& a, const Floats& b) {
  Frame frame;
  AluOperands i = modes;
  i.d = kD, i.a = kA, i.b = kB;
  Floats results;
  for (size_t begin = 0; begin < a.size(); begin += kWarpSize) {
    std::memcpy(frame.bytes.data() + kA, &a[begin], kWarpSize * sizeof(float));
    std::memcpy(frame.bytes.data() + kB, &b[begin], kWarpSize * sizeof(float));
    handler(frame.bytes.data(), i, kFullMask);
    const auto* d = reinterpret_cast<const float*>(frame.bytes.data() + kD);
    results.insert(results.end(), d, d + kWarpSize);
  }
  return results;
}

// Every second warp has any floats. The others have ordinary ones, for which the handlers use vectors.
Floats arguments(size_t warps, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> near(0x1p-10f, 20);
  Floats result;
  for (size_t warp = 0; warp < warps; ++warp)
    for (uint32_t lane = 0; lane < kWarpSize; ++lane)
      result.push_back(warp % 2 ? near(random) : std::bit_cast<float>(static_cast<uint32_t>(random())));
  return result;
}

// Each edge case among ordinary arguments.
Floats edge_cases() {
  Floats result;
  for (const float x : {0.0f,
                        0x1p-149f,
                        0x1.fffffcp-127f,
                        0x1p-126f,
                        0x1.fffffep-9f,
                        0x1p-8f,
                        0.5f,
                        1.0f,
                        2.0f,
                        0x1.fffffep2f,
                        8.0f,
                        126.0f,
                        126.5f,
                        127.99f,
                        128.0f,
                        150.5f,
                        151.0f,
                        0x1p26f,
                        0x1p30f,
                        0x1.000002p30f,
                        0x1p126f,
                        0x1.000002p126f,
                        0x1.fffffep127f,
                        INFINITY,
                        NAN})
    for (const float signed_x : {x, -x}) {
      Floats warp = arguments(2, 7);
      warp[kWarpSize + 5] = signed_x;
      result.insert(result.end(), warp.begin() + kWarpSize, warp.end());
    }
  return result;
}

class SpecialFunction : public testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!isa_available(GetParam())) GTEST_SKIP() << "this processor cannot run that copy";
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, SpecialFunction, testing::Values(Isa::kBaseline, Isa::kAvx2, Isa::kAvx512));

TEST_P(SpecialFunction, ReturnsInAWarpWhatOneLaneReturns) {
  const AluTable table = make_alu_table(GetParam());
  Floats a = arguments(1 << 12, 1), b = arguments(1 << 12, 2);
  const Floats edges = edge_cases();
  a.insert(a.end(), edges.begin(), edges.end());
  b.insert(b.end(), edges.begin(), edges.end());
  for (const Function& f : kFunctions) {
    const AluEntry* entry = table.find(f.name);
    for (const bool ftz : {false, true}) {
      if (ftz && !(entry->allowed & kFtz)) continue;
      const baseline::FloatMode mode{.ftz = ftz};
      AluOperands modes;
      modes.modes = mode.packed();
      for (const AluHandler handler : {ftz ? entry->ftz : entry->plain, entry->general}) {
        const Floats results = run(handler, modes, a, b);
        size_t different = 0;
        for (size_t i = 0; i < a.size(); ++i)
          different += std::bit_cast<uint32_t>(results[i]) != std::bit_cast<uint32_t>(f.lane(a[i], b[i], mode));
        EXPECT_EQ(different, 0u) << f.name << (ftz ? " with .ftz" : "");
      }
    }
  }
}

// Every second warp has lanes for which the unit does not interpolate, inside and outside the mask. The destination is
// a register of its own, or one of the sources.
TEST_P(SpecialFunction, LeavesLanesOutsideTheMaskAlone) {
  const AluTable table = make_alu_table(GetParam());
  const Floats a = arguments(64, 3), b = arguments(64, 4);
  std::mt19937 random(5);
  const auto expect_lanes = [&](const Function& f, const AluOperands& i, bool ftz, size_t warp, Mask mask) {
    Frame frame;
    for (int l = 0; l < kWarpSize; ++l) {
      const size_t at = warp * kWarpSize + static_cast<size_t>(l);
      frame.set(kA, Width::k32, l, std::bit_cast<uint32_t>(a[at]));
      frame.set(kB, Width::k32, l, std::bit_cast<uint32_t>(b[at]));
    }
    const Frame before = frame;
    const AluEntry& entry = *table.find(f.name);
    (ftz ? entry.ftz : entry.plain)(frame.bytes.data(), i, mask);
    for (int l = 0; l < kWarpSize; ++l) {
      const size_t at = warp * kWarpSize + static_cast<size_t>(l);
      const float result = f.lane(a[at], b[at], {.ftz = ftz});
      const uint64_t expected = mask >> l & 1 ? std::bit_cast<uint32_t>(result) : before.get(i.d, Width::k32, l);
      ASSERT_EQ(frame.get(i.d, Width::k32, l), expected) << f.name << " " << l << " " << a[at] << " " << b[at];
    }
  };
  for (const Function& f : kFunctions)
    for (size_t warp = 0; warp < a.size() / kWarpSize; ++warp)
      for (const uint32_t d : {kD, kA, kB})
        for (const bool ftz : {false, true}) {
          if (ftz && !(table.find(f.name)->allowed & kFtz)) continue;
          AluOperands i;
          i.d = d, i.a = kA, i.b = kB;
          expect_lanes(f, i, ftz, warp, warp % 4 ? static_cast<Mask>(random()) : kFullMask);
        }
}

// All halves, two at a time. Each warp runs with a mask of its own, and again with the other lanes.
template <class T>
void expect_halves_as_alone(const AluTable& table, const char* name, T (*lane)(T, baseline::FloatMode)) {
  const auto expect_lanes = [&](uint32_t first, Mask mask) {
    Frame frame;
    AluOperands i;
    i.d = kD, i.a = kA;
    const auto pair_of = [&](int l) { return (first + static_cast<uint32_t>(l)) * 0x10003; };  // two unlike halves
    for (int l = 0; l < kWarpSize; ++l) {
      frame.set(kA, Width::k32, l, pair_of(l));
      frame.set(kD, Width::k32, l, 77);
    }
    table.find(name)->plain(frame.bytes.data(), i, mask);
    for (int l = 0; l < kWarpSize; ++l) {
      const auto half = [&](uint32_t bits) { return uint32_t{lane({static_cast<uint16_t>(bits)}, {}).bits}; };
      const uint32_t expected = mask >> l & 1 ? half(pair_of(l) >> 16) << 16 | half(pair_of(l)) : 77;
      ASSERT_EQ(frame.get(kD, Width::k32, l), expected) << name << " of " << std::hex << pair_of(l);
    }
  };
  for (uint32_t first = 0; first < 1 << 16; first += kWarpSize) {
    const Mask some = (first / kWarpSize + 1) * 0x9e3779b9;
    expect_lanes(first, some);
    expect_lanes(first, ~some);
  }
}
TEST_P(SpecialFunction, ReturnsForHalvesWhatOneLaneReturns) {
  const AluTable table = make_alu_table(GetParam());
  expect_halves_as_alone<baseline::Half>(table, "ex2.approx.f16x2", baseline::ex2_half);
  expect_halves_as_alone<baseline::Half>(table, "tanh.approx.f16x2", baseline::tanh_half);
  expect_halves_as_alone<baseline::Bfloat>(table, "ex2.approx.bf16x2", baseline::ex2_half);
  expect_halves_as_alone<baseline::Bfloat>(table, "tanh.approx.bf16x2", baseline::tanh_half);
}

// ---- the unit by vectors ----

// The root of [1, 4), whose distance from 1 in floats is the position: every x in every seventeenth row.
TEST_P(SpecialFunction, GivesTheUpperBitsOfTheSumOfEachPosition) {
  const AluHandler handler = make_alu_table(GetParam()).find("rsqrt.approx.f32")->plain;
  for (uint32_t row = 5; row < 128; row += 17) {
    Floats a;
    for (uint32_t x = 0; x < 1 << 17; ++x) a.push_back(std::bit_cast<float>(0x3f80'0000 + (row << 17 | x)));
    const Floats roots = run(handler, {}, a, a);
    for (uint32_t x = 0; x < 1 << 17; ++x) {
      const uint64_t upper =
          baseline::interpolated<baseline::kInverseRootRows>(row << 17 | x) >> (16 + baseline::kZeros);
      ASSERT_EQ(std::bit_cast<uint32_t>(roots[x]), 0x3f00'0000 + upper) << a[x];
    }
  }
}

// The lowest and the highest x of each row, and some between. All bits of a position above the row are ignored.
template <const auto& rows>
void expect_equal_sums() {
  for (uint32_t position = 0; position < 1 << 26; position += 0x3ff)
    for (const uint32_t p : {position, position | 0x1'ffff, position & ~uint32_t{0x1'ffff}}) {
      const uint64_t sum = baseline::interpolated<rows>(p % (rows.kRows << 17));
      const baseline::Sums sums = baseline::interpolated<rows>(baseline::Words{} + p);
      ASSERT_EQ(sums.even[0], sum) << p;
      ASSERT_EQ(sums.odd[0], sum) << p;
      ASSERT_EQ(baseline::interpolated<rows>(p), sum) << p;
    }
}
TEST(Interpolation, GivesByVectorsTheSumOfEachPosition) {
  expect_equal_sums<baseline::kReciprocalRows>();
  expect_equal_sums<baseline::kInverseRootRows>();
  expect_equal_sums<baseline::kRootRows>();
  expect_equal_sums<baseline::kPowerRows>();
  expect_equal_sums<baseline::kLogarithmRows>();
  expect_equal_sums<baseline::kSineRows>();
  expect_equal_sums<baseline::kTanhRows>();
}

}  // namespace
}  // namespace lockstep
