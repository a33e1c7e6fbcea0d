#include "grader/judge/contract/contract.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include <gtest/gtest.h>

#include "grader/judge/contract/inputs.h"
#include "grader/judge/contract/oracle.h"
#include "grader/judge/sandbox/file.h"

namespace warpladder {
namespace {

Bytes float_answer(const std::vector<double>& values) {
  return to_bytes(std::vector<float>(values.begin(), values.end()));
}

int64_t bits_of_milliseconds(float ms) { return std::bit_cast<int32_t>(ms); }

// The device's fused instruction rounds once, most CPUs round twice.
TEST(Contract, SaxpyAcceptsBothWaysOfRoundingAndNamesTheFirstWrong) {
  const Contract& saxpy = *find_contract("saxpy");
  for (const std::string& kind : saxpy.inputs) {
    const Bytes in_bytes = saxpy.make(kind, 1000, 1);
    const auto at = [&](size_t i) { return element<float>(in_bytes, i); };
    std::vector<float> fused(1000), rounded(1000);
    for (size_t i = 0; i < 1000; ++i) {
      fused[i] = std::fma(2.5f, at(i), at(1000 + i));
      const volatile float product = 2.5f * at(i);
      rounded[i] = product + at(1000 + i);
    }
    EXPECT_FALSE(saxpy.check("saxpy", in_bytes, {to_bytes(fused), bits_of_milliseconds(1)})) << kind;
    EXPECT_FALSE(saxpy.check("saxpy", in_bytes, {to_bytes(rounded), bits_of_milliseconds(1)})) << kind;
    fused[40] += 0.0625f;
    const auto wrong = saxpy.check("saxpy", in_bytes, {to_bytes(fused), 0});
    ASSERT_TRUE(wrong) << kind;
    EXPECT_EQ(wrong->where, "out[40]");
  }
}

TEST(Contract, SaxpysTimeIsANumber) {
  const Contract& saxpy = *find_contract("saxpy");
  const Bytes in = to_bytes(std::vector<float>{1, 1}), out = to_bytes(std::vector<float>{3.5f});
  EXPECT_FALSE(saxpy.check("saxpy", in, {out, bits_of_milliseconds(1e-6f)}));
  EXPECT_FALSE(saxpy.check("saxpy", in, {out, bits_of_milliseconds(1e9f)}));
  EXPECT_FALSE(saxpy.check("saxpy", {}, {{}, bits_of_milliseconds(0)}));
  for (const float ms :
       {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto wrong = saxpy.check("saxpy", in, {out, bits_of_milliseconds(ms)});
    ASSERT_TRUE(wrong) << ms;
    EXPECT_EQ(wrong->where, "the returned milliseconds");
  }
}

TEST(Contract, ScanAcceptsTheRightAnswerAndNamesTheFirstWrong) {
  const Contract& scan = *find_contract("scan");
  const auto in = make_floats("random", 100, 1);
  auto want = scan_oracle(in, true);
  EXPECT_FALSE(scan.check("scan_inclusive", to_bytes(in), {float_answer(want), 0}));
  want[40] += 0.0625;
  want[70] += 1;
  const auto wrong = scan.check("scan_inclusive", to_bytes(in), {float_answer(want), 0});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->where, "out[40]");
  EXPECT_EQ(wrong->wrong, 2u);
  EXPECT_EQ(wrong->of, 100u);
}

TEST(Contract, ScanTellsInclusiveFromExclusive) {
  const Contract& scan = *find_contract("scan");
  const auto in = make_floats("ones", 10, 1);
  const Bytes inclusive = float_answer(scan_oracle(in, true));
  EXPECT_FALSE(scan.check("scan_inclusive_cpu", to_bytes(in), {inclusive, 0}));
  EXPECT_TRUE(scan.check("scan_exclusive_cpu", to_bytes(in), {inclusive, 0}));
}

TEST(Contract, ScanRefusesNanAndPoison) {
  const Contract& scan = *find_contract("scan");
  for (const char* kind : {"random", "rough"}) {
    const auto in = make_floats(kind, 1000, 1);
    auto values = scan_oracle(in, true);
    values[999] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(scan.check("scan_inclusive", to_bytes(in), {float_answer(values), 0}));
    const auto wrong = scan.check("scan_inclusive", to_bytes(in), {Bytes(4000, std::byte{0xFF}), 0});
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->got, kKept);
    EXPECT_EQ(wrong->value->name, "nothing_stored");
  }
}

// On rough input a tree and a loop give different sums. Both are right; a sum without one element is wrong.
TEST(Contract, RoughInputAcceptsEveryOrderAndStillSeesALostElement) {
  const Contract& scan = *find_contract("scan");
  const auto in = make_floats("rough", 4096, 1);
  std::vector<float> serial(in.size()), lost(in.size());
  float sum = 0;
  for (size_t i = 0; i < in.size(); ++i) serial[i] = sum += in[i];
  EXPECT_FALSE(scan.check("scan_inclusive", to_bytes(in), {to_bytes(serial), 0}));
  sum = 0;
  for (size_t i = 0; i < in.size(); ++i) lost[i] = sum += i == 2000 ? 0 : in[i];
  ASSERT_GT(std::fabs(in[2000]), 0.3f);
  EXPECT_TRUE(scan.check("scan_inclusive", to_bytes(in), {to_bytes(lost), 0}));
}

TEST(Contract, ReductionComparesModuloTwoToThe32) {
  const Contract& reduction = *find_contract("reduction");
  const Bytes in = to_bytes(std::vector<int32_t>{INT32_MAX, 2});
  EXPECT_FALSE(reduction.check("reduce_sum", in, {{}, INT32_MIN + 1}));
  EXPECT_TRUE(reduction.check("reduce_sum", in, {{}, int64_t{INT32_MAX} + 2}));
}

TEST(Contract, HistogramNamesTheFirstWrongBin) {
  const Contract& histogram = *find_contract("histogram");
  const Bytes in = make_raw_bytes("increasing", 512, 0);
  std::vector<uint32_t> bins(256, 2);
  EXPECT_FALSE(histogram.check("histogram", in, {to_bytes(bins), 0}));
  bins[17] = 1;
  const auto wrong = histogram.check("histogram", in, {to_bytes(bins), 0});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->where, "bins[17]");
  EXPECT_EQ(wrong->got, "1");
  EXPECT_EQ(wrong->want, "2");
}

// The header that learners include and the adapter that the runner calls agree with the description.
TEST(Contract, HeaderAndAdapterHaveTheEntriesOfTheDescription) {
  const std::string folder = SOURCE "/common/contracts/";
  for (const ContractText& text : contract_texts()) {
    const std::string header = read_file(folder + text.name + ".h"), adapter = read_file(folder + text.name + ".cc");
    for (const EntryInfo& entry : find_contract(text.name)->entries) {
      EXPECT_NE(header.find("\n" + entry.signature + ";"), std::string::npos) << entry.name;
      EXPECT_NE(adapter.find("{\"" + entry.name + "\", "), std::string::npos) << entry.name;
    }
  }
  EXPECT_NE(read_file(folder + "saxpy.h").find("kSaxpyA = 2.5f;"), std::string::npos);
  EXPECT_EQ(kSaxpyA, 2.5f);
  EXPECT_NE(read_file(folder + "histogram.h").find("kBins = 256;"), std::string::npos);
  EXPECT_EQ(find_contract("histogram")->out_bytes(9), kBins * sizeof(uint32_t));
}

TEST(Contract, NothingIsRightBeforeItIsWritten) {
  EXPECT_TRUE(find_contract("histogram")->check("histogram", {}, {Bytes(1024, std::byte{0xFF}), 0}));
  EXPECT_EQ(find_contract("nonsense"), nullptr);
}

}  // namespace
}  // namespace warpladder
