// arith_special_test: the handlers of the approximated functions, in every copy, against the host's functions in
// double, rounded to float. Millions of arguments, edge cases included.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <random>
#include <vector>

#include "alu/alu_table.h"
#include "alu/arith_special.h"
#include "tests/alu/alu_statement.h"

namespace lockstep {
namespace {

constexpr uint32_t kD = 512, kA = 1024;

struct Function {
  const char* name;
  double (*truth)(double);
  float smallest, largest;  // of random arguments that are covered
  bool is_odd;              // the other sign as well
};

double reciprocal_root(double x) { return 1 / std::sqrt(x); }
const Function kFunctions[] = {{"ex2.approx.f32", std::exp2, 0x1p-30f, 125, true},
                               {"lg2.approx.f32", std::log2, 0x1p-126f, 0x1.fffffep127f, false},
                               {"sin.approx.f32", std::sin, 0x1p-126f, 0x1p16f, true},
                               {"cos.approx.f32", std::cos, 0x1p-126f, 0x1p16f, true},
                               {"tanh.approx.f32", std::tanh, 0x1p-126f, 100, true},
                               {"rsqrt.approx.f32", reciprocal_root, 0x1p-126f, 0x1.fffffep127f, false}};

std::vector<float> run(AluHandler handler, const std::vector<float>& arguments, Mask mask = kFullMask) {
  Frame frame;
  AluOperands i;
  i.d = kD, i.a = kA;
  std::vector<float> results;
  for (size_t begin = 0; begin + kWarpSize <= arguments.size(); begin += kWarpSize) {
    std::memcpy(frame.bytes.data() + kA, &arguments[begin], kWarpSize * sizeof(float));
    handler(frame.bytes.data(), i, mask);
    const auto* d = reinterpret_cast<const float*>(frame.bytes.data() + kD);
    results.insert(results.end(), d, d + kWarpSize);
  }
  return results;
}

std::vector<float> covered_arguments(const Function& f, size_t count) {
  std::mt19937 random(1);
  std::vector<float> result;
  std::uniform_int_distribution<uint32_t> bits(std::bit_cast<uint32_t>(f.smallest), std::bit_cast<uint32_t>(f.largest));
  std::uniform_real_distribution<float> near(f.smallest, std::min(f.largest, 12.0f));
  while (result.size() < count) {
    const float x = result.size() % 2 ? near(random) : std::bit_cast<float>(bits(random));
    result.push_back(f.is_odd && random() % 2 ? -x : x);
  }
  return result;
}

std::vector<float> edge_cases() {
  std::vector<float> result;
  for (const float x :
       {0.0f,   0x1p-149f,      0x1.8p-130f,   0x1.fffffcp-127f, 0x1p-126f, 0x1p-60f,        0x1p-13f, 0.5f,    1.0f,
        1.5f,   0x1.6a09e6p-1f, 0x1.921fb6p0f, 0x1.921fb6p1f,    10.0f,     126.0f,          126.5f,   127.99f, 128.0f,
        149.0f, 150.5f,         65536.0f,      65537.0f,         0x1p30f,   0x1.fffffep127f, INFINITY, NAN})
    result.insert(result.end(), {x, -x});
  return result;
}

int64_t ulps(float a, float b) {
  const auto order = [](float x) {
    const auto bits = std::bit_cast<int32_t>(x);
    return int64_t{bits < 0 ? INT32_MIN - int64_t{bits} : bits};
  };
  return std::abs(order(a) - order(b));
}

class SpecialFunction : public testing::TestWithParam<Isa> {
  void SetUp() override {
    if (!isa_available(GetParam())) GTEST_SKIP() << "this processor cannot run that copy";
  }
};
INSTANTIATE_TEST_SUITE_P(Isas, SpecialFunction, testing::Values(Isa::kBaseline, Isa::kAvx2));

// The error of a polynomial is at most 2^-37.8, and far less for most arguments. So it moves few results across the
// middle between two floats: at most 7 of 2^20.
TEST_P(SpecialFunction, IsTheNearestFloatButForOneArgumentIn65536) {
  const AluTable table = make_alu_table(GetParam());
  for (const Function& f : kFunctions) {
    const std::vector<float> arguments = covered_arguments(f, 1 << 20);
    const std::vector<float> results = run(table.find(f.name)->plain, arguments);
    size_t others = 0;
    int64_t furthest = 0;
    for (size_t i = 0; i < results.size(); ++i) {
      const int64_t distance = ulps(results[i], static_cast<float>(f.truth(arguments[i])));
      others += distance != 0;
      furthest = std::max(furthest, distance);
    }
    RecordProperty(std::string(f.name) + " others", static_cast<int>(others));
    EXPECT_LE(furthest, 1) << f.name;
    EXPECT_LE(others, results.size() / 65536) << f.name;
  }
}

// The result of a lane does not depend on other lanes: each edge case alone among covered arguments, and among other
// edge cases.
TEST_P(SpecialFunction, EdgeCasesAreTheHostsAndDisturbNobody) {
  const AluTable table = make_alu_table(GetParam());
  for (const Function& f : kFunctions) {
    const AluHandler handler = table.find(f.name)->plain;
    const std::vector<float> covered = covered_arguments(f, kWarpSize);
    const std::vector<float> expected = run(handler, covered);
    for (const float edge : edge_cases()) {
      std::vector<float> arguments = covered;
      arguments[5] = edge;
      const std::vector<float> results = run(handler, arguments);
      for (size_t l = 0; l < kWarpSize; ++l)
        if (l != 5) {
          EXPECT_EQ(std::bit_cast<uint32_t>(results[l]), std::bit_cast<uint32_t>(expected[l])) << f.name << edge;
        }
      const std::vector<float> alike = run(handler, std::vector<float>(kWarpSize, edge));
      EXPECT_EQ(std::bit_cast<uint32_t>(alike[0]), std::bit_cast<uint32_t>(results[5])) << f.name << " " << edge;
      const auto truth = static_cast<float>(f.truth(edge));
      const bool is_right =
          std::isnan(truth) ? std::bit_cast<uint32_t>(results[5]) == baseline::kNanF32 : ulps(results[5], truth) <= 1;
      EXPECT_TRUE(is_right) << f.name << " " << edge << ": " << results[5];
      const bool same_sign = std::isnan(truth) || std::signbit(results[5]) == std::signbit(truth);
      EXPECT_TRUE(same_sign) << f.name << " " << edge;
    }
  }
}

TEST_P(SpecialFunction, IsBitForBitTheSameInEveryCopyAndMode) {
  const AluTable table = make_alu_table(GetParam()), baseline = make_alu_table(Isa::kBaseline);
  for (const Function& f : kFunctions) {
    const std::vector<float> arguments = covered_arguments(f, 1 << 18);
    const std::vector<float> expected = run(baseline.find(f.name)->plain, arguments);
    const AluEntry* entry = table.find(f.name);
    for (const AluHandler handler : {entry->plain, entry->ftz, entry->general}) {
      if (!handler) continue;
      const std::vector<float> results = run(handler, arguments);
      EXPECT_EQ(std::memcmp(results.data(), expected.data(), results.size() * sizeof(float)), 0) << f.name;
    }
  }
}

}  // namespace
}  // namespace lockstep
