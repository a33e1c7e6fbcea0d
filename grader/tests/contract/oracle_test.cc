#include "grader/judge/contract/oracle.h"

#include <numeric>

#include <gtest/gtest.h>

#include "grader/judge/contract/inputs.h"

namespace warpladder {
namespace {

TEST(Oracle, SaxpyOfAHandfulByHand) {
  const std::vector<float> in = {1.5f, -2, 0.25f, 10, 20, 30};  // x, then y
  EXPECT_EQ(saxpy_oracle(in, 2), (std::vector<double>{13, 16, 30.5}));
  EXPECT_TRUE(saxpy_oracle({}, 2).empty());
}

TEST(Oracle, ScanOfAHandfulByHand) {
  const std::vector<float> in = {1.5f, -2, 0.25f};
  EXPECT_EQ(scan_oracle(in, true), (std::vector<double>{1.5, -0.5, -0.25}));
  EXPECT_EQ(scan_oracle(in, false), (std::vector<double>{0, 1.5, -0.5}));
  EXPECT_TRUE(scan_oracle(std::vector<float>{}, true).empty());
}

TEST(Oracle, ScanAgreesWithTheStandardLibrary) {
  const std::vector<float> in = make_floats("random", 10007, 1);
  const std::vector<double> wide(in.begin(), in.end());
  std::vector<double> want(in.size());
  std::inclusive_scan(wide.begin(), wide.end(), want.begin());
  EXPECT_EQ(scan_oracle(in, true), want);
  std::exclusive_scan(wide.begin(), wide.end(), want.begin(), 0.0);
  EXPECT_EQ(scan_oracle(in, false), want);
}

TEST(Oracle, SumWrapsModuloTwoToThe32) {
  EXPECT_EQ(sum_oracle(std::vector<int32_t>{INT32_MAX, 1}), INT32_MIN);
  EXPECT_EQ(sum_oracle(std::vector<int32_t>{}), 0);
  EXPECT_EQ(sum_oracle(std::vector<int64_t>{INT64_MAX, 1}), INT64_MIN);
  EXPECT_EQ(scan_oracle(std::vector<int64_t>{INT64_MAX, 2, -1}, false),
            (std::vector<int64_t>{0, INT64_MAX, INT64_MIN + 1}));
  EXPECT_EQ(sum_oracle(std::vector<float>{0.5f, -0.25f}), 0.25);
  const std::vector<int32_t> in = make_ints("random", 100003, 1);
  const int64_t wide = std::accumulate(in.begin(), in.end(), int64_t{0});
  EXPECT_EQ(sum_oracle(in), static_cast<int32_t>(static_cast<uint64_t>(wide) & 0xFFFFFFFFu));
  // Σ i for i < n is n (n - 1) / 2.
  const std::vector<int32_t> increasing = make_ints("increasing", 60000, 0);
  EXPECT_EQ(sum_oracle(increasing), static_cast<int32_t>(60000u * 59999u / 2));
}

TEST(Oracle, HistogramCountsEveryByteOnce) {
  const Bytes in = make_raw_bytes("random", 100003, 7);
  const auto counts = histogram_oracle(in);
  EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), uint64_t{0}), in.size());
  auto left = counts;
  for (const std::byte b : in) --left[static_cast<size_t>(b)];
  for (const uint64_t count : left) EXPECT_EQ(count, 0u);
}

}  // namespace
}  // namespace warpladder
