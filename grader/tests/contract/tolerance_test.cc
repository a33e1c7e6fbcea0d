#include "grader/judge/contract/oracle.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include <gtest/gtest.h>

#include "grader/judge/contract/contract.h"
#include "grader/judge/contract/inputs.h"

namespace warpladder {
namespace {

TEST(Tolerance, NanIsNeverWithin) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  EXPECT_FALSE(within(nan, 1, 1e300));
  EXPECT_FALSE(within(1, nan, 1e300));
  EXPECT_FALSE(within(nan, nan, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(within(1, 2, nan));
}

TEST(Tolerance, ZeroMeansEqual) {
  EXPECT_TRUE(within(1.5, 1.5, 0));
  EXPECT_TRUE(within(0.0, -0.0, 0));
  EXPECT_FALSE(within(1.5, std::nextafter(1.5, 2.0), 0));
}

TEST(Tolerance, IntegersBelowTwoToThe24SumExactly) {
  EXPECT_TRUE(sums_exactly(std::vector<float>{}));
  EXPECT_TRUE(sums_exactly(std::vector<float>{0, 0}));
  EXPECT_TRUE(sums_exactly(std::vector<float>(1 << 20, 16.0f)));       // exactly 2^24
  EXPECT_FALSE(sums_exactly(std::vector<float>((1 << 20) + 1, -17)));  // odd and beyond
  EXPECT_TRUE(sums_exactly(std::vector<float>{0x1p-20f, -0x1p-20f}));
  EXPECT_FALSE(sums_exactly(std::vector<float>{0x1p-20f, 16}));
  EXPECT_FALSE(sums_exactly(std::vector<float>{std::numeric_limits<float>::infinity()}));
}

// Every kind but "rough" sums exactly: float sums in any order equal the double sum.
TEST(Tolerance, MadeInputsSumExactlyInAnyOrder) {
  std::mt19937 shuffler(1);
  for (const std::string& kind : find_contract("scan")->inputs) {
    if (kind == "rough") continue;
    for (const size_t n : {1, 33, 1025, 999983, 1048577}) {
      std::vector<float> values = make_floats(kind, n, 5);
      EXPECT_TRUE(sums_exactly(values)) << kind << n;
      std::shuffle(values.begin(), values.end(), shuffler);
      float sum = 0;
      double exact = 0;
      for (const float v : values) {
        sum += v;
        exact += v;
      }
      EXPECT_EQ(static_cast<double>(sum), exact) << kind << n;
    }
  }
}

TEST(Tolerance, RoundingBoundHoldsAndIsNotWide) {
  const std::vector<float> values = make_floats("rough", 1 << 16, 3);
  float sum = 0;
  double exact = 0, magnitude = 0;
  for (size_t i = 0; i < values.size(); ++i) {
    sum += values[i];
    exact += static_cast<double>(values[i]);
    magnitude += std::fabs(static_cast<double>(values[i]));
    ASSERT_TRUE(within(static_cast<double>(sum), exact, rounding_bound(i, magnitude)));
  }
  EXPECT_DOUBLE_EQ(rounding_bound(0, 100), 0);
  EXPECT_NEAR(rounding_bound(1000, 1), 1000 * 0x1p-24, 1e-8);
  EXPECT_EQ(rounding_bound(1 << 24, 1), std::numeric_limits<double>::infinity());
}

}  // namespace
}  // namespace warpladder
