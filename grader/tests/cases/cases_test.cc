#include "grader/judge/cases/cases.h"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

#include <gtest/gtest.h>

#include "grader/tests/testing.h"

namespace warpladder {
namespace {

TEST(Cases, NamesAreUniqueAndSizesWithinTheLab) {
  const Lab lab = testing::lab_of("scan", "scan_inclusive");
  std::set<std::string> names;
  for (const Case& job : plan_cases(lab, 1, Extent::kFull)) {
    EXPECT_TRUE(names.insert(job.name).second) << job.name;
    EXPECT_LE(job.n, lab.sizes.largest);
  }
  for (const char* name : {"scan_inclusive.0.empty", "scan_inclusive.1.random", "scan_inclusive.33.rough",
                           "scan_inclusive.4097.ones", "scan_inclusive.4097.random"}) {
    EXPECT_TRUE(names.contains(name)) << name;
  }
}

TEST(Cases, EveryInputMeetsEverySmallSizeAndSomeLargeOne) {
  Lab lab = testing::lab_of("histogram", "histogram");
  lab.sizes.largest = (1 << 20) + 1;
  const auto cases = plan_cases(lab, 1, Extent::kFull);
  for (const std::string& input : lab.inputs) {
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) { return c.input == input && c.n > 4000; })) << input;
    EXPECT_TRUE(std::ranges::any_of(cases, [&](const Case& c) { return c.input == input && c.n == 1024; })) << input;
  }
}

// The first case that fails is the one that a person can follow best.
TEST(Cases, SizesAscendAndSimpleInputsComeFirst) {
  for (const char* contract : {"scan", "reduction", "histogram"}) {
    const Lab lab = testing::lab_of(contract, find_contract(contract)->entries.front().name.c_str());
    size_t before = 0;
    for (const Case& job : plan_cases(lab, 1, Extent::kFull)) {
      if (job.name.find("fresh") != std::string::npos) break;
      EXPECT_GE(job.n, before) << job.name;
      const bool begins_a_size = job.n > before && job.n <= kLargestChecked;
      EXPECT_TRUE(!begins_a_size || job.input == lab.inputs.front()) << job.name;
      before = job.n;
    }
    EXPECT_EQ(lab.inputs.at(lab.inputs.size() - (std::string(contract) == "scan" ? 2 : 1)), "random");
  }
}

TEST(Cases, HowManyAreSmallDoesNotDependOnTheSeed) {
  Lab lab = testing::lab_of("reduction", "reduce_sum");
  lab.sizes.largest = 1048577;
  const auto small = [&](uint64_t seed) {
    return std::ranges::count_if(plan_cases(lab, seed, Extent::kFull),
                                 [](const Case& c) { return c.n <= kLargestChecked; });
  };
  for (uint64_t seed = 1; seed < 50; ++seed) EXPECT_EQ(small(seed), small(0)) << seed;
}

TEST(Cases, ACaseOfAnySizeHasTheSeedOfItsName) {
  Lab lab = testing::lab_of("reduction", "reduce_sum_block");
  lab.blocks = {96, 64};
  const auto job = case_of_any_size(lab, "reduce_sum_block.6.ones", 3);
  ASSERT_TRUE(job);
  EXPECT_EQ(job->n, 6u);
  EXPECT_EQ(job->block, 96);
  const auto planned = plan_cases(lab, 3, Extent::kFull);
  const auto same = std::ranges::find(planned, "reduce_sum_block.33.ones", &Case::name);
  EXPECT_EQ(case_of_any_size(lab, same->name, 3)->seed, same->seed);
  for (const char* name :
       {"reduce_sum.6.ones", "reduce_sum_block.6.one", "reduce_sum_block.06.ones", "reduce_sum_block.0.ones",
        "reduce_sum_block.4098.ones", "reduce_sum_block.6", "reduce_sum_block..ones", ""})
    EXPECT_FALSE(case_of_any_size(lab, name, 3)) << name;
}

// The types of one lab: a kind that only floats have meets no ints.
TEST(Cases, AnEntryMeetsTheInputsOfItsType) {
  Lab lab = testing::lab_of("scan", "scan_inclusive");
  lab.entries = {"scan_inclusive", "scan_inclusive_int", "scan_inclusive_long"};
  std::map<std::string, std::set<std::string>> met;
  for (const Extent extent : {Extent::kFull, Extent::kShort})
    for (const Case& job : plan_cases(lab, 1, extent)) {
      met[job.entry->name].insert(job.input);
      EXPECT_EQ(input_of(job).size(), job.n * job.entry->element_bytes) << job.name;
    }
  EXPECT_TRUE(met["scan_inclusive"].contains("rough"));
  EXPECT_FALSE(met["scan_inclusive_int"].contains("rough"));
  EXPECT_FALSE(met["scan_inclusive_long"].contains("rough"));
  EXPECT_TRUE(case_of_any_size(lab, "scan_inclusive.6.rough", 1));
  EXPECT_TRUE(case_of_any_size(lab, "scan_inclusive_long.6.random", 1));
  EXPECT_FALSE(case_of_any_size(lab, "scan_inclusive_long.6.rough", 1));
}

TEST(Cases, TheSeedFixesInputsAndFreshSizes) {
  const Lab lab = testing::lab_of("reduction", "reduce_sum");
  const auto a = plan_cases(lab, 7, Extent::kFull), b = plan_cases(lab, 7, Extent::kFull),
             c = plan_cases(lab, 8, Extent::kFull);
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    EXPECT_EQ(a[i].seed, b[i].seed);
    EXPECT_EQ(a[i].n, b[i].n);
    EXPECT_NE(a[i].seed, c[i].seed);
  }
}

TEST(Cases, BlockSizesTakeTurnsAndTheFirstIsMeasured) {
  Lab lab = testing::lab_of("reduction", "reduce_sum_block");
  lab.blocks = {512, 96};
  std::set<std::pair<int, std::string>> met;
  for (const Case& job : plan_cases(lab, 1, Extent::kFull)) met.insert({job.block, job.input});
  for (const std::string& input : lab.inputs) {
    for (const int block : lab.blocks) EXPECT_TRUE(met.contains({block, input})) << block << " " << input;
  }
  EXPECT_EQ(measured_case(lab, 1).block, 512);
  EXPECT_EQ(plan_cases(testing::lab_of("reduction", "reduce_sum"), 1, Extent::kFull).at(0).block, 0);
}

TEST(Cases, OffsetsTakeTurnsAndTheFirstIsMeasured) {
  Lab lab = testing::lab_of("scan", "scan_inclusive");
  lab.entries = {"scan_inclusive", "scan_inclusive_long"};
  lab.offsets = {2, 1, 3};
  std::map<std::string, std::set<std::pair<size_t, size_t>>> met;
  for (const Case& job : plan_cases(lab, 1, Extent::kFull))
    met[job.entry->name].insert({job.in_offset, job.out_offset});
  for (const std::string& entry : lab.entries) EXPECT_EQ(met[entry].size(), 9u) << entry << ": every pair of the three";
  for (const Case& job : {measured_case(lab, 1), *case_of_any_size(lab, "scan_inclusive.6.ones", 1)}) {
    EXPECT_EQ(job.in_offset, 2u) << job.name;
    EXPECT_EQ(job.out_offset, 2u) << job.name;
  }
  std::set<size_t> drawn;
  for (uint64_t seed = 0; seed < 50; ++seed) {
    for (const Case& job : drawn_cases(lab, seed)) drawn.insert({job.in_offset, job.out_offset});
  }
  EXPECT_EQ(drawn, (std::set<size_t>{1, 2, 3}));
}

// `--case` looks a case up among those of a card, which are more.
TEST(Cases, ACaseHasTheSameOffsetsOnACard) {
  Lab lab = testing::lab_of("reduction", "reduce_sum");
  lab.entries = {"reduce_sum", "reduce_sum_float"};
  lab.offsets = {0, 1, 3};
  const auto with_real = plan_cases(lab, 1, Extent::kWithReal);
  for (const Case& job : plan_cases(lab, 1, Extent::kFull)) {
    const auto same = std::ranges::find(with_real, job.name, &Case::name);
    ASSERT_NE(same, with_real.end());
    EXPECT_EQ(same->in_offset, job.in_offset) << job.name;
    EXPECT_EQ(same->out_offset, job.out_offset) << job.name;
  }
}

// Also where there are as many offsets as inputs: no kind of input is always aligned.
TEST(Cases, EveryInputOfALabMeetsEveryOffset) {
  size_t labs = 0;
  for (const auto& folder : std::filesystem::directory_iterator(SOURCE "/labs")) {
    if (!std::filesystem::exists(folder.path() / "lab.json")) continue;
    const Lab lab = load_lab(folder.path());
    if (lab.offsets.size() == 1) continue;
    ++labs;
    std::set<std::tuple<std::string, std::string, size_t>> met;
    for (const Case& job : plan_cases(lab, 1, Extent::kFull)) met.insert({job.entry->name, job.input, job.in_offset});
    for (const std::string& entry : lab.entries) {
      for (const std::string& input : lab.inputs_of(*lab.contract->find_entry(entry))) {
        for (const size_t offset : lab.offsets)
          EXPECT_TRUE(met.contains({entry, input, offset}))
              << lab.name << " " << entry << " " << input << " " << offset;
      }
    }
  }
  EXPECT_GE(labs, 2u);
}

TEST(Cases, MeasuredRunsHaveInputsOfTheirOwn) {
  const Lab lab = testing::lab_of("reduction", "reduce_sum");
  EXPECT_EQ(measured_case(lab, 1).name, "reduce_sum.real.random");
  EXPECT_NE(measured_case(lab, 1, 1).seed, measured_case(lab, 1, 2).seed);
  // `--case reduce_sum.real.random --seed 1` repeats run 0.
  const auto with_real = plan_cases(lab, 1, Extent::kWithReal);
  const auto same = std::ranges::find(with_real, "reduce_sum.real.random", &Case::name);
  ASSERT_NE(same, with_real.end());
  EXPECT_EQ(same->seed, measured_case(lab, 1).seed);
}

TEST(Cases, DrawnSizesReachTheMeasuredOne) {
  for (const size_t real : {size_t{512}, size_t{16384}, size_t{16777216}}) {
    Lab lab = testing::lab_of("reduction", "reduce_sum_block");
    lab.blocks = {64, 96};
    lab.sizes = {real, 512};
    std::set<size_t> any, large;
    std::set<std::string> inputs;
    for (uint64_t seed = 0; seed < 100; ++seed) {
      const auto cases = drawn_cases(lab, seed);
      ASSERT_EQ(cases.size(), 2u);
      for (const Case& job : cases) EXPECT_TRUE(job.n >= 1 && job.n <= real && job.block > 0) << job.name;
      EXPECT_GE(2 * cases[1].n, real);
      any.insert(cases[0].n);
      large.insert(cases[1].n);
      inputs.insert(cases[0].input);
      EXPECT_EQ(drawn_cases(lab, seed)[1].seed, cases[1].seed);
    }
    EXPECT_LT(*any.begin(), real / 64);
    EXPECT_GT(*any.rbegin(), real / 2);
    EXPECT_GT(*large.rbegin(), real / 100 * 95);
    EXPECT_GT(large.size(), 50u);
    EXPECT_EQ(inputs.size(), lab.inputs.size());
  }
}

TEST(Cases, FurtherInputsAreMeasuredOnAQuarter) {
  Lab lab = testing::lab_of("histogram", "histogram_block");
  lab.blocks = {64, 32};
  lab.measured_inputs = {"skewed", "constant"};
  const auto cases = measured_cases(lab, 1);
  ASSERT_EQ(cases.size(), 2u);
  EXPECT_EQ(cases[0].name, "histogram_block.real.skewed");
  EXPECT_EQ(cases[0].seed, measured_case(lab, 1).seed);
  EXPECT_EQ(cases[1].name, "histogram_block.1250.constant");
  EXPECT_EQ(cases[1].n, 1250u);
  EXPECT_EQ(cases[1].block, 64);
}

TEST(Cases, InputsOfAGradeHaveTheRealSize) {
  Lab lab = testing::lab_of("histogram", "histogram_block");
  lab.blocks = {64, 32};
  lab.measured_inputs = {"constant"};
  lab.graded_inputs = {"random"};
  const auto cases = graded_cases(lab, 1);
  ASSERT_EQ(cases.size(), 1u);
  EXPECT_EQ(cases[0].name, "histogram_block.real.random");
  EXPECT_EQ(cases[0].n, measured_case(lab, 1).n);
  EXPECT_NE(graded_cases(lab, 2)[0].seed, cases[0].seed);
}

}  // namespace
}  // namespace warpladder
