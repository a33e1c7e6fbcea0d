// What is told about a wrong answer must hold for every wrong element.
#include "grader/judge/contract/facts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "grader/judge/base/text.h"
#include "grader/judge/contract/contract.h"
#include "grader/judge/contract/inputs.h"
#include "grader/judge/contract/oracle.h"

namespace warpladder {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

// The answer of a scan of so many ones, changed.
template <class Change>
Mismatch wrong_scan(size_t n, Change change, const char* entry = "scan_inclusive", const char* kind = "ones") {
  const auto in = make_floats(kind, n, 1);
  std::vector<double> want = scan_oracle(in, is_inclusive(entry));
  std::vector<float> out(want.begin(), want.end());
  change(out);
  const auto wrong = find_contract("scan")->find_entry(entry)->code.check(entry, to_bytes(in), {to_bytes(out), 0});
  EXPECT_TRUE(wrong);
  return wrong.value_or(Mismatch{});
}

std::string told(const Mismatch& wrong) {
  std::string text;
  for (const std::string& line : texts(lines_of(wrong))) text += line + "\n";
  return text;
}

std::string place(const Mismatch& wrong) { return wrong.place ? wrong.place->name : ""; }
std::string value(const Mismatch& wrong) { return wrong.value ? wrong.value->name : ""; }

TEST(Facts, SayWhereTheWrongElementsLie) {
  const auto spoil = [](auto is_wrong) {
    return [is_wrong](std::vector<float>& out) {
      for (size_t i = 0; i < out.size(); ++i) out[i] += is_wrong(i) ? static_cast<float>(i + 1) : 0;
    };
  };
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t) { return true; }))), "all");
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t i) { return i == 7; }))), "only");
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t i) { return i == 99; }))), "last");
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t i) { return i >= 32; }))), "from");
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t i) { return i >= 32 && i < 64; }))), "range");
  const Mismatch every = wrong_scan(100, spoil([](size_t i) { return i % 32 == 31; }));
  EXPECT_EQ(place(every), "every");
  EXPECT_THAT(told(every), HasSubstr("3 of 100 are wrong: one element in 32, from out[31] on"));
  EXPECT_EQ(place(wrong_scan(100, spoil([](size_t i) { return i == 3 || i == 9 || i == 11; }))), "");
  EXPECT_EQ(place(wrong_scan(200, spoil([](size_t i) { return i % 32 == 31 && i < 100; }))), "") << "not to the end";
}

TEST(Facts, SayWhatTheWrongElementsHold) {
  const uint32_t canary = 0xFFFFFFFFu;
  const auto kept = std::bit_cast<float>(canary);
  EXPECT_EQ(value(wrong_scan(8, [&](auto& out) { std::ranges::fill(out, kept); })), "nothing_stored");
  EXPECT_EQ(value(wrong_scan(8, [&](auto& out) { out[7] = kept; })), "kept");
  EXPECT_EQ(value(wrong_scan(8, [&](auto& out) { out[7] = kNan; })), "nan") << "another NaN is no canary";
  EXPECT_EQ(value(wrong_scan(8, [&](auto& out) { out[6] = out[7] = 0; })), "zero");
  EXPECT_EQ(value(wrong_scan(8, [&](auto& out) { out[3] = kept, out[4] = 1; })), "") << "no fact of both";
  const Mismatch small = wrong_scan(8, [&](auto& out) { out[2] -= 2, out[5] -= 2; });
  EXPECT_THAT(told(small), HasSubstr("each of them is 2 too small"));
}

TEST(Facts, OfAScanKnowItsNeighbours) {
  const auto inclusive_for_exclusive = [](auto& out) {
    for (size_t i = 0; i < out.size(); ++i) out[i] += 1;
  };
  EXPECT_EQ(value(wrong_scan(8, inclusive_for_exclusive, "scan_exclusive")), "next");
  const auto exclusive_for_inclusive = [](auto& out) {
    for (float& value : out) value -= 1;
  };
  EXPECT_EQ(value(wrong_scan(8, exclusive_for_inclusive)), "before");
  const auto second_block_anew = [](auto& out) {
    for (size_t i = 4; i < out.size(); ++i) out[i] = static_cast<float>(i - 3);
  };
  const Mismatch anew = wrong_scan(7, second_block_anew);
  EXPECT_EQ(value(anew), "starts_anew");
  EXPECT_THAT(told(anew), HasSubstr("out[4] is in[4] alone, as if the sum began there"));
  const auto truncated = [](auto& out) {
    for (float& value : out) value = std::trunc(value);
  };
  EXPECT_EQ(value(wrong_scan(9, truncated, "scan_inclusive", "random")), "fraction");
}

TEST(Facts, OfASumCountTheOnes) {
  const auto of = [](const char* kind, size_t n, auto change) {
    const auto in = make_ints(kind, n, 1);
    const auto wrong = find_contract("reduction")
                           ->find_entry("reduce_sum")
                           ->code.check("reduce_sum", to_bytes(in), {{}, change(sum_oracle(in))});
    return wrong ? told(*wrong) : "";
  };
  EXPECT_THAT(of("ones", 33, [](int) { return 32; }), HasSubstr("32 of the 33 ones were added"));
  EXPECT_THAT(of("ones", 33, [](int) { return 34; }), HasSubstr("1 more than there are ones"));
  EXPECT_THAT(of("ones", 3, [](int sum) { return 2 * sum; }), HasSubstr("twice the sum"));
  EXPECT_THAT(of("spike", 9, [](int) { return 0; }), HasSubstr("nothing was added"));
  EXPECT_THAT(of("increasing", 100, [](int) { return 31 * 32 / 2; }), HasSubstr("the sum of the first 32 of 100"));
  EXPECT_THAT(of("increasing", 100, [](int) { return 30 * 31 / 2; }), Not(HasSubstr("sum of the first")))
      << "no whole warp";
  EXPECT_THAT(of("increasing", 8, [](int sum) { return sum - 1; }), HasSubstr("data    0  1  2  3  4  5  6  7"));
}

TEST(Facts, OfCountsAddThemUp) {
  const Bytes in = make_raw_bytes("increasing", 257, 1);
  const Counts right = histogram_oracle(in);
  std::vector<uint32_t> bins(right.begin(), right.end());
  const auto of = [&] {
    const auto wrong =
        find_contract("histogram")->find_entry("histogram")->code.check("histogram", in, {to_bytes(bins), 0});
    return wrong ? told(*wrong) : "";
  };
  bins[0] = 1;
  EXPECT_THAT(of(), HasSubstr("together the bins have 256 of 257 bytes"));
  for (size_t i = 0; i < bins.size(); ++i) bins[i] = right[i] - 1;
  EXPECT_THAT(of(), Not(HasSubstr("counted up from -1"))) << "no bin shows the canary";
  const Bytes few = make_raw_bytes("increasing", 3, 1);
  std::vector<uint32_t> from_canary(256, 0xFFFFFFFFu);
  for (size_t i = 0; i < 3; ++i) from_canary[i] = 0;
  const auto wrong =
      find_contract("histogram")->find_entry("histogram")->code.check("histogram", few, {to_bytes(from_canary), 0});
  EXPECT_EQ(wrong->value->name, "not_zeroed");
}

// Input, answer and right answer side by side, with the first wrong element among them.
TEST(Facts, ATableShowsTheFirstWrongElement) {
  EXPECT_EQ(told(wrong_scan(4, [](auto& out) { out[2] = 1; })),
            "out[2]: got 1, want 3\n"
            "1 of 4 is wrong: out[2] alone\n"
            "i       0  1  2  3\n"
            "in      1  1  1  1\n"
            "got     1  2  1  4\n"
            "want    1  2  3  4\n"
            "              ✗\n");
  for (const size_t first : {0, 1, 500, 998, 999}) {
    const Mismatch wrong = wrong_scan(
        1000, [&](auto& out) { out[first] = 0.25f; }, "scan_inclusive", "random");
    const auto& index = wrong.table.rows.at(0).cells;
    const auto column = std::ranges::find(index, std::to_string(first));
    ASSERT_NE(column, index.end()) << first;
    EXPECT_TRUE(wrong.table.wrong.at(static_cast<size_t>(column - index.begin())));
    for (const std::string& line : texts(lines_of(wrong))) EXPECT_LE(width_of(line), 80u) << line;
    EXPECT_LE(width_of(lines_of(wrong).back().text()), 60u);
  }
  EXPECT_TRUE(wrong_scan(1, [](auto& out) { out[0] = 2; }).table.rows.empty()) << "one element needs none";
}

}  // namespace
}  // namespace warpladder
