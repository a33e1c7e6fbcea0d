#include "grader/judge/cases/hidden.h"

#include <map>
#include <set>

#include <gtest/gtest.h>

#include "grader/judge/base/failure.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

const std::string kSecret = "a secret of some length";

class HiddenCases : public ::testing::Test {
 protected:
  void SetUp() override {
    lab_.blocks = {512, 96, 64};
    std::filesystem::create_directory(folder_.path() / lab_.name);
  }
  Hidden from(const std::string& secret) { return hidden_from(secret, lab_, folder_.path(), "FILE"); }
  std::string names(const std::string& secret) {
    std::string text;
    for (const Case& job : from(secret).cases)
      text += job.name + "/" + std::to_string(job.block) + "/" + std::to_string(job.seed) + " ";
    return text;
  }
  std::string refusal(const std::string& secret) {
    try {
      from(secret);
    } catch (const JudgeFault& fault) { return fault.what(); }
    return "accepted";
  }

  TemporaryFolder folder_;
  Lab lab_ = testing::lab_of("reduction", "reduce_sum_block");
};

TEST_F(HiddenCases, TheFileFixesThemAndNothingElseDoes) {
  EXPECT_EQ(names(kSecret), names(kSecret));
  EXPECT_EQ(from(kSecret).measured_seed, from(kSecret).measured_seed);
  EXPECT_NE(names(kSecret), names(kSecret + "\n"));
  EXPECT_NE(from(kSecret).measured_seed, from(kSecret + "\n").measured_seed);
  const std::string before = names(kSecret);
  lab_.name = "98_other";
  EXPECT_NE(names(kSecret), before);
}

// The cases must not change with the compiler or its library, or a grade could not be repeated next year. The seed is
// the first 16 digits that this prints:
//   printf 99_test/measured | openssl dgst -sha256 -hmac "a secret of some length"
TEST_F(HiddenCases, TheyAreTheSameOnEveryMachine) {
  EXPECT_EQ(from(kSecret).measured_seed, 0xAE1E0B540BD7799Au);
  EXPECT_EQ(from(kSecret).cases.front().name, "reduce_sum_block.125.random");
}

TEST_F(HiddenCases, TheyAreWhereMistakesHideAndNotOnThePublicList) {
  lab_.sizes.largest = 1048577;
  std::set<std::string> inputs;
  std::set<int> blocks;
  size_t odd = 0, number = 0;
  for (const Case& job : from(kSecret).cases) {
    EXPECT_FALSE(is_public_size(lab_, job.n)) << job.name;
    EXPECT_EQ(job.alias, "hidden." + std::to_string(++number));
    inputs.insert(job.input);
    blocks.insert(job.block);
    odd += job.n % 2;
  }
  EXPECT_EQ(inputs.size(), lab_.inputs.size());
  EXPECT_GT(blocks.size(), 1u);
  EXPECT_GT(odd, 1u);
}

TEST_F(HiddenCases, EveryEntryHasAsMany) {
  lab_.entries.push_back("reduce_sum");
  std::map<std::string, int> of_entry;
  for (const Case& job : from(kSecret).cases) ++of_entry[job.entry->name];
  EXPECT_EQ(of_entry.size(), 2u);
  EXPECT_EQ(of_entry["reduce_sum"], of_entry["reduce_sum_block"]);
}

TEST_F(HiddenCases, AShortLabHasThemToo) {
  for (const size_t largest : {3, 4, 40, 512}) {
    lab_.sizes.largest = largest;
    for (const Case& job : from(kSecret).cases) {
      EXPECT_GE(job.n, 1u);
      EXPECT_LE(job.n, largest);
    }
  }
}

TEST_F(HiddenCases, TheirOffsetsAreDrawn) {
  const std::string before = names(kSecret);
  lab_.offsets = {0, 1, 3};
  EXPECT_EQ(names(kSecret), before) << "nothing else changes";
  std::set<size_t> in, out;
  for (const Case& job : from(kSecret).cases) {
    in.insert(job.in_offset);
    out.insert(job.out_offset);
  }
  EXPECT_EQ(in, (std::set<size_t>{0, 1, 3}));
  EXPECT_EQ(out, (std::set<size_t>{0, 1, 3}));
  const Hidden listed = from(R"({"99_test": [{"n": 7, "input": "ones", "in_offset": 3}]})");
  EXPECT_EQ(listed.cases.at(0).in_offset, 3u);
  EXPECT_EQ(listed.cases.at(0).out_offset, 0u);
}

TEST_F(HiddenCases, AnInstructorMayListThem) {
  const Hidden hidden =
      from(R"({"99_test": [{"n": 700, "input": "spike", "seed": 18446744073709551615, "block": 96}, {"n": 0}]})");
  ASSERT_EQ(hidden.cases.size(), 2u);
  EXPECT_EQ(hidden.cases[0].name, "reduce_sum_block.700.spike");
  EXPECT_EQ(hidden.cases[0].alias, "hidden.1");
  EXPECT_EQ(hidden.cases[0].seed, ~uint64_t{0});
  EXPECT_EQ(hidden.cases[0].block, 96);
  EXPECT_EQ(hidden.cases[1].name, "reduce_sum_block.0.empty");
  EXPECT_EQ(hidden.cases[1].block, 512);
}

TEST_F(HiddenCases, MistakesAreNamed) {
  EXPECT_NE(refusal("").find("openssl rand"), std::string::npos);
  EXPECT_NE(refusal("too short").find("shorter than 16"), std::string::npos);
  EXPECT_NE(refusal(R"({"98_absent": [{"n": 7, "input": "ones"}]})").find("98_absent"), std::string::npos);
  for (const auto& [list, says] : {std::pair{"[        ]", "list of cases"},
                                   {"70000000", "list of cases"},
                                   {"[7]", "must be an object"},
                                   {R"([{"input": "ones"}])", "has no \"n\""},
                                   {R"([{"n": 7}])", "has no \"input\""},
                                   {R"([{"n": -7, "input": "ones"}])", "whole number"},
                                   {R"([{"n": 7.5, "input": "ones"}])", "whole number"},
                                   {R"([{"n": 99999, "input": "ones"}])", "largest"},
                                   {R"([{"n": 7, "input": "one"}])", "\"one\""},
                                   {R"([{"n": 7, "input": "ones", "entry": "scan"}])", "\"scan\""},
                                   {R"([{"n": 7, "input": "ones", "block": 48}])", "\"block\""},
                                   {R"([{"n": 7, "input": "ones", "in_offset": 2}])", "\"in_offset\""},
                                   {R"([{"n": 7, "input": "ones", "sed": 4}])", "unknown key \"sed\""}}) {
    const std::string what = refusal(R"({"99_test": )" + std::string(list) + "}");
    EXPECT_NE(what.find(says), std::string::npos) << list << ": " << what;
  }
  EXPECT_THROW(load_hidden(folder_.path() / "absent", lab_, folder_.path()), JudgeFault);
  EXPECT_THROW(load_hidden(folder_.path(), lab_, folder_.path()), JudgeFault);
}

TEST_F(HiddenCases, WhatBeginsAsAListIsOneAndAnythingElseIsASecret) {
  for (const char* broken : {"[1, 2, 3, 4, 5, 6, 7]", R"({"99_test": [{"n": 7, )",
                             "\xEF\xBB\xBF\n {\"99_test\": [{\"n\": 7, \"input\": \"ones\"},]}"})
    EXPECT_NE(refusal(broken).find("no JSON object"), std::string::npos) << broken;
  EXPECT_EQ(from("{no text: \xFF\xFE and on").cases.size(), from(std::string(64, '\0')).cases.size());
}

}  // namespace
}  // namespace warpladder
