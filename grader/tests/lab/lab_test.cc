#include "grader/judge/lab/lab.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "grader/judge/base/failure.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

const std::string kGood = R"({"title": "t", "family": "scan", "contract": "scan", "entries": ["scan_inclusive"],
  "source": "scan.cu", "sizes": {"real": 1000}, "baseline": "cpu", "starter_fails": "compile",
  "speed": [{"speedup": 1.25, "points": 4, "why": "a"}, {"speedup": 3, "points": 6, "why": "b"}],
  "rules": [{"name": "r", "counter": "barriers", "per": "element", "op": "<=", "value": 2, "why": "w",
             "starter": null, "reference": 1.5}]})";

class LabJson : public ::testing::Test {
 protected:
  Lab load(const std::string& text) {
    testing::write_file(folder_.path() / "07_lab" / "lab.json", text);
    return load_lab(folder_.path() / "07_lab");
  }
  // Replaces one piece of kGood. Returns the text of the refusal.
  std::string refusal(const std::string& piece, const std::string& by) {
    std::string text = kGood;
    text.replace(text.find(piece), piece.size(), by);
    try {
      load(text);
    } catch (const JudgeFault& fault) { return fault.what(); }
    return "accepted";
  }
  TemporaryFolder folder_;
};

TEST_F(LabJson, DefaultsAreFilledIn) {
  const Lab lab = load(kGood);
  EXPECT_EQ(lab.name, "07_lab");
  EXPECT_EQ(lab.number, "07");
  EXPECT_EQ(lab.baseline, "cpu");
  EXPECT_EQ(lab.measured, "scan_inclusive");
  EXPECT_EQ(lab.inputs.size(), 6u);
  EXPECT_EQ(lab.measured_inputs, std::vector<std::string>{"random"});
  EXPECT_EQ(lab.offsets, std::vector<size_t>{0});
  EXPECT_EQ(lab.rules.at(0).per, "element");
  EXPECT_EQ(lab.rules.at(0).each, "");
  EXPECT_FALSE(lab.rules.at(0).starter);
  EXPECT_EQ(lab.rules.at(0).reference, 1.5);
  ASSERT_EQ(lab.thresholds.size(), 2u);
  EXPECT_EQ(lab.thresholds[1].speedup, 3);
  EXPECT_EQ(lab.thresholds[1].points, 6);
}

// Learners choose the names of kernels, the launches, and the size of a grid.
TEST_F(LabJson, ARuleDependsOnNothingThatLearnersChoose) {
  for (const char* per : {"block", "thread", "launch", "barriers"})
    EXPECT_NE(refusal("\"element\"", std::string("\"") + per + "\"").find("unknown \"per\""), std::string::npos) << per;
  EXPECT_NE(refusal("\"per\"", "\"kernel\": \"k\", \"per\"").find("unknown key \"kernel\""), std::string::npos);
  EXPECT_NE(refusal("\"per\"", "\"each\": \"block\", \"per\"").find("unknown \"each\""), std::string::npos);
  EXPECT_EQ(refusal("\"per\"", "\"each\": \"launch\", \"per\""), "accepted");
  EXPECT_NE(refusal("\"op\": \"<=\"", "\"each\": \"launch\", \"op\": \">=\"").find("not an upper bound"),
            std::string::npos);
  EXPECT_EQ(refusal("\"element\"", "\"thread of a block\", \"each\": \"launch\""), "accepted");
  EXPECT_NE(refusal("\"element\"", "\"thread of a block\"").find("without \"each\""), std::string::npos);
}

TEST_F(LabJson, MistakesAreNamed) {
  EXPECT_NE(refusal("\"title\"", "\"titel\"").find("has no \"title\""), std::string::npos);
  EXPECT_NE(refusal("\"rules\"", "\"ruels\"").find("unknown key \"ruels\""), std::string::npos);
  EXPECT_NE(refusal("\"contract\": \"scan\"", "\"contract\": \"sorting\"").find("unknown contract"), std::string::npos);
  EXPECT_NE(refusal("[\"scan_inclusive\"]", "[\"scan_inklusive\"]").find("scan_inklusive"), std::string::npos);
  EXPECT_NE(refusal("[\"scan_inclusive\"]", "[]").find("entry"), std::string::npos);
  EXPECT_NE(refusal("\"t\"", "5").find("wrong type"), std::string::npos);
  EXPECT_NE(refusal("1000", "0").find("real"), std::string::npos);
  EXPECT_NE(refusal("<=", "=<").find("\"op\""), std::string::npos);
  EXPECT_NE(refusal("1.5", "\"1.5\"").find("neither a number nor null"), std::string::npos);
  EXPECT_NE(refusal("\"starter\": null,", "").find("has no \"starter\""), std::string::npos);
  EXPECT_NE(refusal("\"scan\", \"entries\": [\"scan_inclusive\"]", "\"reduction\", \"entries\": [\"reduce_sum_block\"]")
                .find("\"blocks\""),
            std::string::npos);
  EXPECT_NE(refusal("\"rules\"", "\"inputs\": [\"ones\"], \"measured_inputs\": [\"random\"], \"rules\"")
                .find("none of its own"),
            std::string::npos);
  EXPECT_NE(refusal("\"rules\"", "\"graded_inputs\": [\"reandom\"], \"rules\"").find("none of its own"),
            std::string::npos);
  EXPECT_NE(
      refusal("[\"scan_inclusive\"]", "[\"scan_inclusive\", \"scan_inclusive_int\"], \"measured_inputs\": [\"rough\"]")
          .find("its entry \"scan_inclusive_int\" has not"),
      std::string::npos);
  for (const char* block : {"0", "1025", "-32"}) {
    EXPECT_NE(refusal("\"rules\"", std::string("\"blocks\": [") + block + "], \"rules\"").find("outside 1 … 1024"),
              std::string::npos)
        << block;
  }
  EXPECT_EQ(refusal("\"rules\"", "\"offsets\": [0, 31], \"rules\""), "accepted");
  EXPECT_NE(refusal("\"rules\"", "\"offsets\": [0, 32], \"rules\"").find("outside 0 … 31"), std::string::npos);
  EXPECT_NE(refusal("\"rules\"", "\"offsets\": [], \"rules\"").find("no offset"), std::string::npos);
  EXPECT_EQ(refusal("\"rules\"", "\"schedules\": [\"reverse\", \"random:1\"], \"rules\""), "accepted");
  for (const char* schedule : {"reversed", "random:", "random:x", ""}) {
    EXPECT_NE(
        refusal("\"rules\"", std::string("\"schedules\": [\"") + schedule + "\"], \"rules\"").find("unknown sched"),
        std::string::npos)
        << schedule;
  }
  EXPECT_NE(refusal("\"scan.cu\"", "\"scan.cu\", \"arch\": 75, \"sizes2\": 1").find("sizes2"), std::string::npos);
  EXPECT_NE(refusal("1000", "1000.5").find("no whole number"), std::string::npos);
  EXPECT_NE(refusal("1000", "-1").find("no whole number, or one out of range"), std::string::npos);
  EXPECT_NE(refusal("scan.cu", "../scan.cu").find("source"), std::string::npos);
  EXPECT_NE(refusal("\"speedup\": 3", "\"speedup\": 1.25").find("the one before it"), std::string::npos);
  EXPECT_NE(refusal("\"points\": 4", "\"points\": 0").find("\"points\" below 1"), std::string::npos);
  EXPECT_NE(refusal("\"why\": \"a\"", "\"why\": \"\"").find("empty \"why\""), std::string::npos);
  EXPECT_NE(refusal("\"speed\": [{", "\"speed_why\": \"w\", \"speed\": [{").find("not both"), std::string::npos);
  EXPECT_NE(refusal("{\"title\"", "\"title\"").find("no JSON"), std::string::npos);
}

// Any JSON value in place of a key's value is either taken or refused with the name of the file. Nothing crashes.
TEST_F(LabJson, AnyValueOfAnyKeyIsTakenOrRefused) {
  const nlohmann::json good = nlohmann::json::parse(kGood);
  for (const auto& [key, value] : good.items()) {
    for (const char* other :
         {"null", "true", "-1", "1.5", "1e300", "\"\"", "\"x\"", "[]", "[[]]", "[1]", "{}", "{\"a\": 1}"}) {
      nlohmann::json changed = good;
      changed[key] = nlohmann::json::parse(other);
      try {
        load(changed.dump());
      } catch (const JudgeFault& fault) {
        EXPECT_NE(std::string(fault.what()).find("lab.json"), std::string::npos) << key << " " << other;
      }
    }
  }
  for (size_t length = 0; length < kGood.size(); length += 7) EXPECT_THROW(load(kGood.substr(0, length)), JudgeFault);
}

TEST_F(LabJson, AFolderWithoutOneSaysWhatToDo) { EXPECT_THROW(load_lab(folder_.path()), JudgeFault); }

}  // namespace
}  // namespace warpladder
