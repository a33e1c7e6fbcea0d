#include "grader/judge/contract/inputs.h"

#include <algorithm>
#include <cmath>
#include <set>
#include <stdexcept>

#include <gtest/gtest.h>

#include "grader/judge/base/random.h"
#include "grader/judge/contract/contract.h"

namespace warpladder {
namespace {

TEST(Inputs, SameSeedSameInputOtherSeedOther) {
  EXPECT_EQ(make_floats("random", 1000, 1), make_floats("random", 1000, 1));
  EXPECT_NE(make_floats("random", 1000, 1), make_floats("random", 1000, 2));
  EXPECT_NE(seed_of(1, "a.33.random"), seed_of(1, "a.32.random"));
  EXPECT_NE(seed_of(1, "a.33.random"), seed_of(2, "a.33.random"));
}

TEST(Inputs, RandomFloatsHaveFractionsAndBothSigns) {
  const auto values = make_floats("random", 1000, 1);
  EXPECT_TRUE(std::ranges::any_of(values, [](float v) { return v != std::floor(v); }));
  EXPECT_TRUE(std::ranges::any_of(values, [](float v) { return v < 0; }));
  EXPECT_TRUE(std::ranges::any_of(values, [](float v) { return v > 0; }));
}

TEST(Inputs, EveryKindAtEverySize) {
  for (const size_t n : {0, 1, 2, 7, 33, 1025}) {
    for (const ContractText& text : contract_texts()) {
      const Contract& contract = *find_contract(text.name);
      for (const EntryInfo& entry : contract.entries)
        for (const std::string& kind : entry.inputs)
          EXPECT_EQ(entry.code.make(kind, n, 1).size(), n * entry.element_bytes) << entry.name << " " << kind;
    }
  }
  EXPECT_THROW(make_floats("nonsense", 1, 1), std::logic_error);
}

TEST(Inputs, SpikeIsOneElement) {
  const auto floats = make_floats("spike", 1000, 9);
  EXPECT_EQ(std::ranges::count_if(floats, [](float v) { return v != 0; }), 1);
  const auto ints = make_ints("spike", 1000, 9);
  EXPECT_EQ(std::ranges::count_if(ints, [](int32_t v) { return v != 0; }), 1);
}

// Code that keeps the halves of a long apart, or only one of them, is seen.
TEST(Inputs, LongsUseBothHalves) {
  const auto spike = make_ints<int64_t>("spike", 100, 9);
  EXPECT_EQ(std::ranges::count(spike, 0), 99);
  EXPECT_EQ(*std::ranges::max_element(spike), 1'000'003 * ((INT64_C(1) << 32) + 1));
  const auto random = make_ints<int64_t>("random", 100, 9);
  EXPECT_TRUE(std::ranges::any_of(random, [](int64_t v) { return v > INT64_C(1) << 61; }));
  EXPECT_TRUE(std::ranges::any_of(random, [](int64_t v) { return v < -(INT64_C(1) << 61); }));
}

TEST(Inputs, IncreasingNeverFalls) {
  EXPECT_TRUE(std::ranges::is_sorted(make_floats("increasing", 100000, 1)));
  EXPECT_TRUE(std::ranges::is_sorted(make_ints("increasing", 100000, 1)));
}

TEST(Inputs, BytesAreAsTheirKindSays) {
  const Bytes constant = make_raw_bytes("constant", 1000, 1);
  EXPECT_EQ(std::ranges::count(constant, constant[0]), 1000);
  const Bytes skewed = make_raw_bytes("skewed", 100000, 1);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(skewed, std::byte{64})), 50000, 1000);
  const Bytes random = make_raw_bytes("random", 10000, 1);
  EXPECT_EQ(std::set<std::byte>(random.begin(), random.end()).size(), 256u);
}

}  // namespace
}  // namespace warpladder
