// Intervals, thresholds and contests, with times from made-up cards and made-up clocks.
#include "grader/judge/speed/speed.h"

#include <cmath>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "grader/judge/base/failure.h"
#include "grader/judge/base/random.h"
#include "grader/judge/speed/contest.h"
#include "grader/judge/verdict/verdict.h"
#include "grader/tests/testing.h"

namespace warpladder {
namespace {

double uniform(Random& random) { return static_cast<double>(random.below(uint64_t{1} << 32)) / 4294967296.0; }

// Two codes on one card: the ms of their calls number i. The second is exactly 1.5 times as fast.
struct MadeUpCard {
  const char* name;
  double (*slowness)(Random&, int i);  // the card's slowness, the same for both calls of a pair
  double (*noise)(Random&);            // a factor for each call, whose median is the same for both
};

const MadeUpCard kCards[] = {
    {"quiet", [](Random&, int) { return 1.0; }, [](Random& r) { return 1 + 0.01 * uniform(r); }},
    {"drifts by half", [](Random&, int i) { return 1 + 0.02 * i; }, [](Random& r) { return 1 + 0.05 * uniform(r); }},
    {"two clocks", [](Random& r, int) { return r.below(2) == 0 ? 1.0 : 1.7; },
     [](Random& r) { return 1 + 0.05 * uniform(r); }},
    {"a clock that changes within pairs", [](Random&, int) { return 1.0; },
     [](Random& r) { return (r.below(2) == 0 ? 1.0 : 1.3) * (1 + 0.05 * uniform(r)); }},
    {"interrupted", [](Random&, int) { return 1.0; },
     [](Random& r) { return (1 + 0.05 * uniform(r)) * (r.below(10) == 0 ? 20 : 1); }},
    {"heavy tails", [](Random&, int) { return 1.0; },
     [](Random& r) { return 1 + 0.02 / std::sqrt(uniform(r) + 1e-6); }},
};

TimedPair pair_of(const MadeUpCard& card, Random& random, int i, double speedup) {
  const double slow = card.slowness(random, i);
  const double base = slow * card.noise(random), mine = slow * card.noise(random) / speedup;
  return {{mine, mine + 0.05}, {base, base + 0.05}};
}

TEST(MedianInterval, HoldsTheMedianAsOftenAsItSaysOnEveryCard) {
  constexpr int kContests = 2000;
  for (const MadeUpCard& card : kCards) {
    for (const int pairs : {11, 20, 41}) {
      Random random(seed_of(1, card.name));
      int held = 0;
      for (int contest = 0; contest < kContests; ++contest) {
        std::vector<double> ratios;
        for (int i = 0; i < pairs; ++i) {
          const TimedPair pair = pair_of(card, random, i, 1.5);
          ratios.push_back(pair.base.ms / pair.mine.ms);
        }
        const auto interval = median_interval(ratios, 0.95);
        ASSERT_TRUE(interval);
        held += interval->low <= 1.5 && 1.5 <= interval->high;
      }
      // 0.95 minus three standard deviations of 2,000 coins.
      EXPECT_GE(held, kContests * 0.95 - 3 * std::sqrt(kContests * 0.95 * 0.05)) << card.name << ", " << pairs;
    }
  }
}

TEST(MedianInterval, LeavesOutAsManyAsTheBinomialTablesSay) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i);
  EXPECT_EQ(median(values), 10.5);
  const auto interval = median_interval(values, 0.95);  // Conover's table: the 6th and the 15th of 20, 95.9 %
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->low, 6);
  EXPECT_EQ(interval->high, 15);
  EXPECT_FALSE(median_interval({1, 2, 3, 4, 5}, 0.95));  // 2 / 2^5 is more than 5 %
  EXPECT_TRUE(median_interval({1, 2, 3, 4, 5, 6}, 0.95));
}

TEST(Thresholds, AreReachedMissedOrOpen) {
  Speed speed;
  speed.interval = {1.4, 1.6};
  apply_thresholds({{1.4, 1, "a"}, {1.5, 1, "b"}}, speed);
  EXPECT_EQ(speed.thresholds[0].verdict, SpeedVerdict::kPass);
  EXPECT_EQ(speed.thresholds[1].verdict, SpeedVerdict::kInconclusive);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kInconclusive);
  apply_thresholds({{1.5, 1, "b"}, {1.7, 1, "c"}}, speed);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kFail);
  apply_thresholds({}, speed);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kNotGraded);
  speed.interval.reset();
  apply_thresholds({{1.5, 1, "b"}}, speed);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kNotGraded);
}

class Contest : public ::testing::Test {
 protected:
  Contest() {
    rules_.thresholds = {{1.2, 5, "a"}, {1.4, 5, "b"}};
    rules_.read_bytes = rules_.traffic_bytes = 4e8;  // 0.1 ms at a copy's 4,000 GB/s
  }
  // On a card, by code that is this much faster. Every pair takes seconds_a_pair_.
  Speed hold(double speedup, const MadeUpCard& card = kCards[0]) {
    Speed speed;
    Random random(seed_of(7, card.name));
    pairs_ = 0;
    const auto next = [&](int i) -> std::variant<TimedPair, Failure> {
      ++pairs_;
      TimedPair pair = pair_of(card, random, i, speedup);
      pair.copy_gb_per_s = copy_;
      pair.mine.whole_ms += more_on_host_;
      pair.mine.ms *= claim_;
      return pair;
    };
    EXPECT_FALSE(hold_contest(
        rules_, next, [&] { return pairs_ * seconds_a_pair_; }, speed));
    return speed;
  }
  // The judge's text for impossible times. "": it accepts them.
  std::string refusal(double speedup) {
    try {
      hold(speedup);
    } catch (const JudgeFault& fault) { return fault.what(); }
    return "";
  }
  ContestRules rules_;
  int pairs_ = 0;
  double seconds_a_pair_ = 0.1, copy_ = 4000, more_on_host_ = 0, claim_ = 1;
};

TEST_F(Contest, EndsAsSoonAsEveryThresholdIsDecided) {
  const Speed speed = hold(1.5);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kPass);
  EXPECT_EQ(speed.measured.runs, 11);
  EXPECT_EQ(pairs_, 13);  // two to warm up
  EXPECT_NEAR(*speed.speedup, 1.5, 0.01);
  EXPECT_NEAR(*speed.measured.gb_per_s, 600, 10);
  EXPECT_EQ(*speed.measured.copy_gb_per_s, 4000);
  EXPECT_EQ(hold(1.0).verdict, SpeedVerdict::kFail);
  const Speed half = hold(1.3);
  EXPECT_EQ(half.thresholds[0].verdict, SpeedVerdict::kPass);
  EXPECT_EQ(half.thresholds[1].verdict, SpeedVerdict::kFail);
}

TEST_F(Contest, GoesOnWhereTheCardIsLoudAndSaysWhenItHasSeenTooLittle) {
  EXPECT_GT(hold(1.5, kCards[3]).measured.runs, 11);
  EXPECT_EQ(hold(1.5, kCards[3]).verdict, SpeedVerdict::kPass);
  const Speed open = hold(1.4, kCards[3]);
  EXPECT_EQ(open.verdict, SpeedVerdict::kInconclusive);
  EXPECT_EQ(open.thresholds[0].verdict, SpeedVerdict::kPass);
  EXPECT_EQ(open.measured.runs, 81);
  EXPECT_NE(open.advice.text().find("quiet card"), std::string::npos);
  seconds_a_pair_ = 1;
  EXPECT_EQ(hold(1.4, kCards[3]).measured.runs, 19);  // 20 s, of which the warm-up took two
  seconds_a_pair_ = 3;
  const Speed short_of_time = hold(1.5);
  EXPECT_EQ(short_of_time.verdict, SpeedVerdict::kInconclusive);
  EXPECT_NE(short_of_time.reason.text().find("too few"), std::string::npos) << short_of_time.reason;
}

TEST_F(Contest, SeldomErrsAtTheThresholdItself) {
  int wrong = 0;
  rules_.thresholds = {{1.5, 5, "a"}};
  for (int contest = 0; contest < 1000; ++contest) {
    Speed speed;
    Random random(seed_of(static_cast<uint64_t>(contest), "at the threshold"));
    const auto next = [&](int i) { return std::variant<TimedPair, Failure>(pair_of(kCards[1], random, i, 1.5)); };
    hold_contest(
        rules_, next, [] { return 0.0; }, speed);
    wrong += speed.verdict != SpeedVerdict::kInconclusive;
  }
  EXPECT_LE(wrong, 10 + 3 * std::sqrt(10));  // of 1,000, all four looks together
}

TEST_F(Contest, FasterThanTheCardCanReadIsAMeasuringFault) {
  copy_ = 300;  // 400 MB in 1 ms are more than 1.2 times that
  for (const double speedup : {1.5, 1.0})
    EXPECT_THAT(refusal(speedup), ::testing::HasSubstr("cannot even read the input"));
  copy_ = 0;  // no copy was made
  EXPECT_EQ(hold(1.5).verdict, SpeedVerdict::kPass);
}

TEST_F(Contest, ACallCannotBeShorterThanWhatTheDeviceDidInIt) {
  more_on_host_ = -0.2;
  EXPECT_THAT(refusal(1.5), ::testing::HasSubstr("by the judge's clock"));
}

// A thread of the submission may work while the baseline is timed.
TEST_F(Contest, ABaselineThatThisCodeHoldsUpIsAMeasuringFault) {
  rules_.base_on_device = true;
  rules_.base_alone = {0.95, 1};
  EXPECT_EQ(hold(1.5).verdict, SpeedVerdict::kPass);
  rules_.base_alone = {0.9, 1};
  EXPECT_THAT(refusal(1.5), ::testing::HasSubstr("on the device while this code's process is there, and 0.9 ms alone"));
  rules_.base_again = [] { return TimedCall{0.95, 1}; };  // the card has become warm
  EXPECT_EQ(refusal(1.5), "");
  rules_.base_again = [] { return TimedCall{0.9, 1}; };
  EXPECT_NE(refusal(1.5), "");
  rules_.base_again = nullptr;
  rules_.thresholds = {{1.04, 5, "a"}};  // here half of the gain is less than a tenth
  rules_.base_alone = {0.95, 1};
  EXPECT_NE(refusal(1.5), "");
  rules_.thresholds = {{1.2, 5, "a"}};
  rules_.base_alone = {0.8, 1};
  rules_.base_on_device = false;  // a processor's time differs more
  EXPECT_EQ(hold(1.5).verdict, SpeedVerdict::kPass);
  rules_.base_alone = {0.8, 0.25};
  EXPECT_THAT(refusal(1.5), ::testing::HasSubstr("by the judge's clock while this code's process is there"));
  rules_.thresholds.clear();  // nothing to gain
  EXPECT_EQ(refusal(1.5), "");
}

TEST_F(Contest, WorkThatMovedToTheHostIsNotSaved) {
  more_on_host_ = 0.3;  // an allocation or two
  EXPECT_EQ(hold(1.5).verdict, SpeedVerdict::kPass);
  more_on_host_ = 2;
  const Speed speed = hold(1.5);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kFail);
  EXPECT_NE(speed.reason.text().find("the work moved to the host"), std::string::npos) << speed.reason;
  // The same for a forged clock: the time that it claims to save is not visible from outside.
  rules_.read_bytes = 0;
  more_on_host_ = 0;
  claim_ = 0.001;
  EXPECT_EQ(hold(0.8).verdict, SpeedVerdict::kFail);
  rules_.thresholds.clear();  // nothing to gain
  EXPECT_EQ(hold(0.8).verdict, SpeedVerdict::kNotGraded);
}

TEST_F(Contest, AFailedCallEndsIt) {
  Speed speed;
  const auto next = [](int i) -> std::variant<TimedPair, Failure> {
    if (i == 5) return testing::failure_of(Verdict::kWrongAnswer, "case.x");
    return TimedPair{{1, 1}, {1, 1}};
  };
  const auto failure = hold_contest(
      rules_, next, [] { return 0.0; }, speed);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->check, "case.x");
  EXPECT_FALSE(speed.speedup);
}

class Model : public ::testing::Test {
 protected:
  // A launch with a time on an H200 and, where it fits, on a T4.
  static std::string launch(double h200_us, bool fits_on_t4 = true) {
    return R"({"kernel": "k", "grid": [1, 1, 1], "block": [32, 1, 1], "counters": {}, "modelled": {)" +
           (fits_on_t4 ? std::string(R"("Tesla T4": {"us": 900}, )") : "") + R"("NVIDIA H200": {"us": )" +
           std::to_string(h200_us) + "}}}";
  }
  static std::string report(const std::string& launches) {
    return R"({"modelled_error": 1.25, "findings": [], "launches": [)" + launches + "]}";
  }
  Speed model(double threshold, const std::string& mine) {
    Lab lab = testing::lab_of("reduction", "reduce_sum");
    lab.thresholds = {{threshold, 10, "because"}};
    Speed speed;
    model_speed(lab, parse_report(mine), below_, speed);
    return speed;
  }
  TemporaryFolder folder_;
  std::filesystem::path below_ = folder_.path() / "report.json";
};

TEST_F(Model, SumsLaunchesAndComparesWithTheRungBelow) {
  testing::write_file(below_, report(launch(300)));
  const Speed speed = model(1.3, report(launch(100) + "," + launch(50, false)));
  ASSERT_EQ(speed.modelled.size(), 1u);  // not all launches fit on the other
  EXPECT_DOUBLE_EQ(speed.modelled[0].ms, 0.15);
  EXPECT_DOUBLE_EQ(*speed.speedup, 2);
  EXPECT_DOUBLE_EQ(speed.interval->low, 1.6);
  EXPECT_DOUBLE_EQ(speed.interval->high, 2.5);
  EXPECT_EQ(speed.verdict, SpeedVerdict::kPass);
  EXPECT_EQ(model(2.2, report(launch(150))).verdict, SpeedVerdict::kInconclusive);
  EXPECT_EQ(model(2.6, report(launch(150))).verdict, SpeedVerdict::kFail);
  const Speed small = model(1.2, report(launch(150)));  // the model's own error is 1.25
  EXPECT_EQ(small.verdict, SpeedVerdict::kNotGraded);
  EXPECT_NE(small.reason.text().find("less than the model may be off"), std::string::npos) << small.reason;
  EXPECT_EQ(speed.kind, "modelled");
  EXPECT_FALSE(speed.measured.ms);  // a clock would have measured it
}

TEST_F(Model, IsNotGradedWithoutWhatItNeeds) {
  const Speed no_build = model(1.2, report(launch(100)));
  EXPECT_EQ(no_build.verdict, SpeedVerdict::kNotGraded);
  EXPECT_NE(no_build.reason.text().find("cmake --build"), std::string::npos);
  testing::write_file(below_, report(launch(300)));
  EXPECT_EQ(model(1.2, report("")).verdict, SpeedVerdict::kNotGraded);  // nothing was launched
  below_.clear();
  const Speed over_cpu = model(1.2, report(launch(100)));
  EXPECT_EQ(over_cpu.verdict, SpeedVerdict::kNotGraded);
  EXPECT_NE(over_cpu.reason.text().find("processor"), std::string::npos);
  EXPECT_EQ(over_cpu.thresholds.size(), 1u);
}

TEST_F(Model, IsSaidToBeOne) {
  testing::write_file(below_, report(launch(300)));
  Speed speed = model(1.3, report(launch(100)));
  speed.cpu.serial_ms = 5;
  const std::string text = to_text(speed_page(speed, "02"));
  for (const char* part :
       {"modelled, not measured", "NVIDIA H200", "Tesla T4", "lab 02",
        "✓ 10 points for 1.3 × over lab 02: reached\n      because\n", "3 × (2.4 to 3.75) on NVIDIA H200"})
    EXPECT_NE(text.find(part), std::string::npos) << part << text;
  Result result;
  result.speed = speed;
  const auto json = nlohmann::json::parse(to_json(result));
  EXPECT_EQ(json["speed"]["modelled"]["NVIDIA H200"]["ms"].get<double>(), 0.1);
}

TEST_F(Contest, IsATableForAPerson) {
  Speed speed = hold(1.3);
  speed.kind = "measured";
  speed.card = "A card";
  speed.cpu.serial_ms = 20;
  speed.cpu.parallel_ms = 4;
  const std::string text = to_text(speed_page(speed, "02"));
  for (const char* part :
       {"measured on A card", "this code", "lab 02", "serial CPU", "parallel CPU", "a copy on the card", "4000   ",
        "1.3 × (1.2", "✓ 5 points for 1.2 × over lab 02: reached\n      a\n",
        "✗ 5 points for 1.4 × over lab 02: missed\n      b\n"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
}

}  // namespace
}  // namespace warpladder
