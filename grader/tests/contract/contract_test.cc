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

int64_t bits_of_float(float value) { return std::bit_cast<int32_t>(value); }

std::optional<Mismatch> check(const Contract& contract, std::string_view entry, View in, const Answer& answer) {
  return contract.find_entry(entry)->code.check(entry, in, answer);
}

// What a lab's offsets count: an array may begin at any value of its type, and nowhere between.
TEST(Contract, AnArrayMayBeginAtAnyOfItsValues) {
  using Steps = std::pair<size_t, size_t>;
  const auto steps = [](const char* contract, const char* entry) {
    const EntryInfo& info = *find_contract(contract)->find_entry(entry);
    return Steps{info.in_step, info.out_step};
  };
  EXPECT_EQ(steps("scan", "scan_inclusive"), (Steps{4, 4}));
  EXPECT_EQ(steps("scan", "scan_inclusive_long"), (Steps{8, 8}));
  EXPECT_EQ(steps("saxpy", "saxpy"), (Steps{4, 4}));
  EXPECT_EQ(steps("histogram", "histogram_block"), (Steps{1, sizeof(unsigned)}));
  EXPECT_EQ(steps("sort", "sort_pairs"), (Steps{4, 4}));
  EXPECT_EQ(steps("words", "top_words"), (Steps{1, alignof(unsigned long long)}));
}

// The device's fused instruction rounds once, most CPUs round twice.
TEST(Contract, SaxpyAcceptsBothWaysOfRoundingAndNamesTheFirstWrong) {
  const Contract& saxpy = *find_contract("saxpy");
  for (const std::string& kind : saxpy.inputs) {
    const Bytes in_bytes = saxpy.find_entry("saxpy")->code.make(kind, 1000, 1);
    const auto at = [&](size_t i) { return element<float>(in_bytes, i); };
    std::vector<float> fused(1000), rounded(1000);
    for (size_t i = 0; i < 1000; ++i) {
      fused[i] = std::fma(2.5f, at(i), at(1000 + i));
      const volatile float product = 2.5f * at(i);
      rounded[i] = product + at(1000 + i);
    }
    EXPECT_FALSE(check(saxpy, "saxpy", in_bytes, {to_bytes(fused), bits_of_float(1)})) << kind;
    EXPECT_FALSE(check(saxpy, "saxpy", in_bytes, {to_bytes(rounded), bits_of_float(1)})) << kind;
    fused[40] += 0.0625f;
    const auto wrong = check(saxpy, "saxpy", in_bytes, {to_bytes(fused), 0});
    ASSERT_TRUE(wrong) << kind;
    EXPECT_EQ(wrong->where, "out[40]");
  }
}

TEST(Contract, SaxpysTimeIsANumber) {
  const Contract& saxpy = *find_contract("saxpy");
  const Bytes in = to_bytes(std::vector<float>{1, 1}), out = to_bytes(std::vector<float>{3.5f});
  EXPECT_FALSE(check(saxpy, "saxpy", in, {out, bits_of_float(1e-6f)}));
  EXPECT_FALSE(check(saxpy, "saxpy", in, {out, bits_of_float(1e9f)}));
  EXPECT_FALSE(check(saxpy, "saxpy", {}, {{}, bits_of_float(0)}));
  for (const float ms :
       {0.0f, -1.0f, std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    const auto wrong = check(saxpy, "saxpy", in, {out, bits_of_float(ms)});
    ASSERT_TRUE(wrong) << ms;
    EXPECT_EQ(wrong->where, "the returned milliseconds");
  }
}

TEST(Contract, ScanAcceptsTheRightAnswerAndNamesTheFirstWrong) {
  const Contract& scan = *find_contract("scan");
  const auto in = make_floats("random", 100, 1);
  auto want = scan_oracle(in, true);
  EXPECT_FALSE(check(scan, "scan_inclusive", to_bytes(in), {float_answer(want), 0}));
  want[40] += 0.0625;
  want[70] += 1;
  const auto wrong = check(scan, "scan_inclusive", to_bytes(in), {float_answer(want), 0});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->where, "out[40]");
  EXPECT_EQ(wrong->wrong, 2u);
  EXPECT_EQ(wrong->of, 100u);
}

TEST(Contract, ScanTellsInclusiveFromExclusive) {
  const Contract& scan = *find_contract("scan");
  const auto in = make_floats("ones", 10, 1);
  const Bytes inclusive = float_answer(scan_oracle(in, true));
  EXPECT_FALSE(check(scan, "scan_inclusive_cpu", to_bytes(in), {inclusive, 0}));
  EXPECT_TRUE(check(scan, "scan_exclusive_cpu", to_bytes(in), {inclusive, 0}));
}

TEST(Contract, ScanRefusesNanAndPoison) {
  const Contract& scan = *find_contract("scan");
  for (const char* kind : {"random", "rough"}) {
    const auto in = make_floats(kind, 1000, 1);
    auto values = scan_oracle(in, true);
    values[999] = std::numeric_limits<double>::quiet_NaN();
    EXPECT_TRUE(check(scan, "scan_inclusive", to_bytes(in), {float_answer(values), 0}));
    const auto wrong = check(scan, "scan_inclusive", to_bytes(in), {Bytes(4000, std::byte{0xFF}), 0});
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
  EXPECT_FALSE(check(scan, "scan_inclusive", to_bytes(in), {to_bytes(serial), 0}));
  sum = 0;
  for (size_t i = 0; i < in.size(); ++i) lost[i] = sum += i == 2000 ? 0 : in[i];
  ASSERT_GT(std::fabs(in[2000]), 0.3f);
  EXPECT_TRUE(check(scan, "scan_inclusive", to_bytes(in), {to_bytes(lost), 0}));
}

TEST(Contract, ReductionComparesModuloTwoToThe32) {
  const Contract& reduction = *find_contract("reduction");
  const Bytes in = to_bytes(std::vector<int32_t>{INT32_MAX, 2});
  EXPECT_FALSE(check(reduction, "reduce_sum", in, {{}, INT32_MIN + 1}));
  EXPECT_TRUE(check(reduction, "reduce_sum", in, {{}, int64_t{INT32_MAX} + 2}));
}

TEST(Contract, IntegerScansAreExactAndWrap) {
  const Contract& scan = *find_contract("scan");
  const auto tries = [&](auto in, auto want, const char* entry) {
    EXPECT_FALSE(check(scan, entry, to_bytes(in), {to_bytes(want), 0})) << entry;
    want[2] += 1;  // far below what a double of this size tells apart
    const auto wrong = check(scan, entry, to_bytes(in), {to_bytes(want), 0});
    ASSERT_TRUE(wrong) << entry;
    EXPECT_EQ(wrong->where, "out[2]");
    EXPECT_EQ(wrong->tolerance, "");
    EXPECT_EQ(wrong->got, std::to_string(want[2]));
    EXPECT_EQ(wrong->want, std::to_string(want[2] - 1));
  };
  tries(std::vector<int32_t>{INT32_MAX, 2, -1}, std::vector<int32_t>{INT32_MAX, INT32_MIN + 1, INT32_MIN},
        "scan_inclusive_int");
  tries(std::vector<int64_t>{INT64_MAX, 3, 5}, std::vector<int64_t>{INT64_MAX, INT64_MIN + 2, INT64_MIN + 7},
        "scan_inclusive_long");
}

// A long that nothing was stored in is told from one whose halves are.
TEST(Contract, AnUntouchedLongHasAllItsBytes) {
  const Bytes in = to_bytes(std::vector<int64_t>{1, 2});
  const auto got = [&](int64_t first) {
    return check(*find_contract("scan"), "scan_inclusive_long", in, {to_bytes(std::vector<int64_t>{first, 3}), 0})->got;
  };
  EXPECT_EQ(got(-1), kKept);
  EXPECT_EQ(got(0xFFFFFFFF), "4294967295");
}

TEST(Contract, LongSumsAreExactAndWrap) {
  const Contract& reduction = *find_contract("reduction");
  const Bytes in = to_bytes(std::vector<int64_t>{INT64_MAX, 2});
  EXPECT_FALSE(check(reduction, "reduce_sum_long", in, {{}, INT64_MIN + 1}));
  const auto wrong = check(reduction, "reduce_sum_long", in, {{}, INT64_MIN + 2});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->got, "-9223372036854775806");
  EXPECT_EQ(wrong->want, "-9223372036854775807");
}

TEST(Contract, FloatSumsAreExactWhereTheyCanBe) {
  const Contract& reduction = *find_contract("reduction");
  const auto in = make_floats("random", 1000, 1);
  const auto sum = static_cast<float>(sum_oracle(std::span<const float>(in)));
  EXPECT_FALSE(check(reduction, "reduce_sum_float", to_bytes(in), {{}, bits_of_float(sum)}));
  const auto wrong = check(reduction, "reduce_sum_float", to_bytes(in), {{}, bits_of_float(std::nextafter(sum, 1e9f))});
  ASSERT_TRUE(wrong);
  EXPECT_EQ(wrong->where, "the returned sum");
  EXPECT_EQ(wrong->tolerance, "");
  EXPECT_FALSE(check(reduction, "reduce_sum_float", {}, {{}, bits_of_float(0)}));
  EXPECT_TRUE(check(reduction, "reduce_sum_float", {}, {{}, bits_of_float(1e-30f)}));
}

TEST(Contract, RoughFloatSumsAcceptEveryOrderAndNoNan) {
  const Contract& reduction = *find_contract("reduction");
  const auto in = make_floats("rough", 4096, 1);
  float forward = 0, backward = 0;
  for (size_t i = 0; i < in.size(); ++i) forward += in[i], backward += in[in.size() - 1 - i];
  ASSERT_NE(forward, backward);
  ASSERT_GT(std::fabs(in[2000]), 0.3f);
  const auto of = [&](float sum) {
    return check(reduction, "reduce_sum_float", to_bytes(in), {{}, bits_of_float(sum)});
  };
  EXPECT_FALSE(of(forward));
  EXPECT_FALSE(of(backward));
  const auto lost = of(forward - in[2000]);
  ASSERT_TRUE(lost);
  EXPECT_TRUE(lost->tolerance.text().ends_with(": the rounding of 4095 additions")) << lost->tolerance;
  const auto nan = of(std::numeric_limits<float>::quiet_NaN());
  ASSERT_TRUE(nan);
  EXPECT_EQ(nan->value->name, "sum_nan");
}

TEST(Contract, AnEntryMayHaveItsOwnArrays) {
  const EntryInfo &ints = *find_contract("scan")->find_entry("scan_inclusive_int"),
                  &longs = *find_contract("scan")->find_entry("scan_inclusive_long"),
                  &floats = *find_contract("scan")->find_entry("scan_inclusive");
  EXPECT_EQ(floats.out_bytes(3), 12u);
  EXPECT_EQ(ints.out_bytes(3), 12u);
  EXPECT_EQ(longs.out_bytes(3), 24u);
  EXPECT_EQ(longs.element_bytes, 8u);
  EXPECT_EQ(longs.elements, "long longs");
  EXPECT_EQ(floats.inputs.back(), "rough");
  EXPECT_EQ(ints.inputs.back(), "random");
  const Contract& reduction = *find_contract("reduction");
  EXPECT_FALSE(reduction.find_entry("reduce_sum")->const_input);
  EXPECT_TRUE(reduction.find_entry("reduce_sum_float")->const_input);
  EXPECT_TRUE(reduction.find_entry("reduce_sum_long")->const_input);
  EXPECT_EQ(reduction.find_entry("reduce_sum")->inputs.back(), "random");
  EXPECT_EQ(reduction.inputs.back(), "rough");
}

TEST(Contract, HistogramNamesTheFirstWrongBin) {
  const Contract& histogram = *find_contract("histogram");
  const Bytes in = make_raw_bytes("increasing", 512, 0);
  std::vector<uint32_t> bins(256, 2);
  EXPECT_FALSE(check(histogram, "histogram", in, {to_bytes(bins), 0}));
  bins[17] = 1;
  const auto wrong = check(histogram, "histogram", in, {to_bytes(bins), 0});
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
  EXPECT_EQ(find_contract("histogram")->find_entry("histogram")->out_bytes(9), kBins * sizeof(uint32_t));
}

TEST(Contract, NothingIsRightBeforeItIsWritten) {
  EXPECT_TRUE(check(*find_contract("histogram"), "histogram", {}, {Bytes(1024, std::byte{0xFF}), 0}));
  EXPECT_EQ(find_contract("nonsense"), nullptr);
}

}  // namespace
}  // namespace warpladder
