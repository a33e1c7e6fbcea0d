// clock_test: what a thread knows about the others, as a tree and as clocks that are put together late.
#include "check/clock.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <random>
#include <thread>
#include <utility>
#include <vector>

namespace lockstep {
namespace {

// All lanes of some warps, before a moment.
Accesses all_of(uint64_t first_warp, uint32_t warps, uint32_t moment) { return {first_warp, warps, 0, moment, 0}; }

TEST(Knowledge, KnowsWhatItLearned) {
  Knowledge known;
  EXPECT_FALSE(known.knows(0, 0, 1));
  known.learn(all_of(3, 1, 10));
  EXPECT_TRUE(known.knows(3, 7, 9));
  EXPECT_FALSE(known.knows(3, 7, 10)) << "a moment itself is not before it";
  EXPECT_FALSE(known.knows(4, 7, 9));
}

TEST(Knowledge, WarpsFarApartHaveTheirOwnBranches) {
  Knowledge known;
  known.learn(all_of(1, 1, 5));
  known.learn(all_of(1'000'000, 1, 7));
  known.learn(all_of(uint64_t{1} << 36, 1, 9));
  EXPECT_TRUE(known.knows(1, 0, 4));
  EXPECT_TRUE(known.knows(1'000'000, 0, 6));
  EXPECT_TRUE(known.knows(uint64_t{1} << 36, 0, 8));
  EXPECT_FALSE(known.knows(1'000'001, 0, 1));
  EXPECT_FALSE(known.knows((uint64_t{1} << 36) + 1, 0, 1));
}

TEST(Knowledge, AWarpOrOneThreadMayBeKnownLonger) {
  Knowledge known;
  known.learn(all_of(40, 8, 4));
  known.learn(all_of(42, 1, 6));
  known.learn({43, 1, 9, 2, 8});
  EXPECT_TRUE(known.knows(42, 31, 5));
  EXPECT_FALSE(known.knows(41, 31, 5));
  EXPECT_TRUE(known.knows(43, 9, 7));
  EXPECT_FALSE(known.knows(43, 8, 7));
  EXPECT_TRUE(known.knows(43, 8, 3)) << "what it learns later takes nothing away";
  EXPECT_TRUE(known.knows(47, 0, 3));
  EXPECT_FALSE(known.knows(48, 0, 3));
}

TEST(Knowledge, JoiningIsTheUnionAndSharesWhatIsEqual) {
  Knowledge a, b;
  a.learn(all_of(1, 1, 5));
  b = a;
  b.learn(all_of(20, 1, 3));
  Knowledge both = a;
  both.learn(b);
  EXPECT_TRUE(both.same_as(b)) << "b says everything that a does";
  a.learn(all_of(40, 1, 2));
  both.learn(a);
  EXPECT_TRUE(both.knows(1, 0, 4) && both.knows(20, 0, 2) && both.knows(40, 0, 1));
  EXPECT_FALSE(a.knows(20, 0, 2)) << "what trees share does not change";
  EXPECT_FALSE(b.knows(40, 0, 1));
}

TEST(Knowledge, EqualTreesComeToBeOne) {
  Knowledge a, b;
  a.learn(all_of(1, 40, 5));
  b.learn(all_of(1, 40, 5));
  Knowledge one = a, other = b;
  one.learn(b);
  other.learn(a);
  EXPECT_TRUE(one.same_as(other));
}

TEST(Knowledge, LaterThreadsUseWhatEndedThreadsLeave) {
  const auto in_thread = [](auto&& work) { std::thread(work).join(); };
  const size_t slabs = Knowledge::slabs();
  for (int round = 0; round < 256; ++round) {  // of 256 leaves, which are 9 MB in all
    Knowledge known;
    in_thread([&] {
      for (uint32_t warp = 0; warp < 256; ++warp) known.learn(all_of(warp, 1, 5 + warp));
    });
    in_thread([&] { known = {}; });
  }
  EXPECT_LE(Knowledge::slabs(), slabs + 1);
}

// Trees of one, two and three levels learn from accesses, from rows of moments and from each other. Tables do the same.
TEST(Knowledge, SaysWhatATableSays) {
  std::mt19937 random(1);
  const auto draw = [&](size_t n) { return static_cast<uint32_t>(random() % n); };
  for (const std::vector<uint64_t>& warps :
       {std::vector<uint64_t>{0}, {0, 1, 2, 15}, {0, 1, 2, 15, 16, 17, 200}, {3, 4, 40, 255, 256, 4000}}) {
    using Table = std::map<uint64_t, Moments>;
    std::array<std::pair<Knowledge, Table>, 4> all;
    for (int step = 0; step < 2000; ++step) {
      auto& [tree, table] = all[draw(all.size())];
      const auto& [other_tree, other_table] = all[draw(all.size())];
      const uint64_t warp = warps[draw(warps.size())];
      Moments row{};
      const uint32_t what = draw(8), time = 1 + step / 50 + draw(20), lane = draw(kWarpSize);
      if (what == 0) {
        tree = Knowledge(other_tree), table = Table(other_table);
      } else if (what < 4) {
        tree.learn(other_tree);
        for (const auto& [other_warp, moments] : Table(other_table))
          for (uint32_t l = 0; l < kWarpSize; ++l) table[other_warp][l] = std::max(table[other_warp][l], moments[l]);
      } else {
        if (what == 4) tree.learn(all_of(warp, 1, time)), row.fill(time);
        if (what == 5) tree.learn({warp, 1, lane, time - 1, time}), row.fill(time - 1);
        if (what >= 6) tree.learn({warp, 1, lane, 0, time});
        if (what >= 5) row[lane] = time;
        for (uint32_t l = 0; l < kWarpSize; ++l) table[warp][l] = std::max(table[warp][l], row[l]);
      }
      for (const auto& [a_tree, a_table] : all)
        for (const uint64_t w : warps)
          ASSERT_EQ(a_tree.moments(w), a_table.contains(w) ? a_table.at(w) : Moments{}) << step << ", warp " << w;
    }
  }
}

// One block of warps; segment s + 1 is the warp's at time s.
struct RememberedBy {
  std::vector<Segment> segments;
  explicit RememberedBy(uint32_t warps) {
    for (uint32_t time = 1; time <= 20; ++time)
      for (uint32_t warp = 0; warp < warps; ++warp) segments.push_back({0, time, warp});
  }
  SegmentId at(uint32_t warp, uint32_t time, uint32_t warps) const { return 1 + (time - 1) * warps + warp; }
};

TEST(Remembered, SaysTheLatestAccessBeforeASegment) {
  const RememberedBy by(2);
  const SegmentId from = by.at(0, 10, 2);
  Remembered remembered({by.segments, 1, 2}, from);
  remembered.add(by.at(1, 12, 2), 5);
  remembered.add(by.at(1, 3, 2), 5);
  remembered.add(by.at(1, 7, 2), 5);
  EXPECT_EQ(remembered.count(), 3u);
  EXPECT_EQ(remembered.of(0), nullptr);
  ASSERT_TRUE(remembered.of(1));
  EXPECT_EQ((*remembered.of(1))[5], 8u) << "behind the access, not at it";
  remembered.pass_to(by.at(1, 12, 2));
  EXPECT_EQ((*remembered.of(1))[5], 8u);
  remembered.pass_to(by.at(1, 12, 2) + 1);
  EXPECT_EQ((*remembered.of(1))[5], 13u);
  EXPECT_EQ((*remembered.of(1))[4], 0u);
}

TEST(Forgetting, WhatDiffersOnlyInForgottenAccessesBecomesEqual) {
  const RememberedBy by(32);
  Knowledge a, b, c;
  for (Knowledge* const known : {&a, &b}) known->learn(all_of(17, 1, 9));
  a.learn(all_of(3, 1, 15));
  b.learn(all_of(4, 1, 2));
  c.learn(all_of(17, 1, 5));
  Remembered remembered({by.segments, 1, 32}, by.at(0, 20, 32));
  remembered.add(by.at(17, 6, 32), 1);
  Forgetting forgetting(remembered);
  for (Knowledge* const known : {&a, &b, &c}) forgetting.in(*known);
  EXPECT_TRUE(a.same_as(b));
  EXPECT_FALSE(a.same_as(c));
  EXPECT_TRUE(a.knows(17, 1, 6));
  EXPECT_FALSE(a.knows(17, 1, 7)) << "no access at that moment is remembered";
  EXPECT_FALSE(a.knows(3, 0, 1));
  EXPECT_TRUE(c.knows(17, 1, 4));
  EXPECT_FALSE(c.knows(17, 1, 6)) << "forgetting adds nothing";
}

// After the first time, both warps have one leaf.
TEST(Forgetting, EqualLeavesOfTwoWarpsAreForgottenApart) {
  const RememberedBy by(32);
  Knowledge known;
  for (const uint32_t warp : {3u, 17u}) known.learn(all_of(warp, 1, 9));
  for (const std::vector<uint32_t>& warps : {std::vector<uint32_t>{3, 17}, std::vector<uint32_t>{17}}) {
    Remembered remembered({by.segments, 1, 32}, by.at(0, 20, 32));
    for (const uint32_t warp : warps) remembered.add(by.at(warp, 8, 32), 1);
    Forgetting(remembered).in(known);
    EXPECT_TRUE(known.knows(17, 1, 8));
    EXPECT_EQ(known.knows(3, 1, 8), warps.size() == 2);
  }
}

TEST(Clock, KnowsWhatTheClocksKnewThatItLearnedFrom) {
  History history;
  Clock a, b, c;
  a.learn(history, all_of(1, 1, 5));
  b.learn(a);
  EXPECT_TRUE(b.same_as(a));
  b.learn(history, all_of(2, 1, 7));
  c.learn(history, all_of(3, 1, 9));
  c.learn(b);
  a.learn(history, all_of(4, 1, 2));
  for (int settled = 0; settled < 2; ++settled) {
    EXPECT_TRUE(c.knows(1, 0, 4) && c.knows(2, 31, 6) && c.knows(3, 5, 8));
    EXPECT_FALSE(c.knows(4, 0, 1)) << "a learned it later";
    EXPECT_FALSE(b.knows(3, 0, 1));
    history.settle();
    EXPECT_EQ(history.waiting(), 0u);
  }
}

TEST(Clock, LearningTheSameTwiceAddsNoVersion) {
  History history;
  Clock a, b;
  a.learn(history, all_of(1, 1, 5));
  b.learn(history, all_of(2, 1, 5));
  Clock one = a, other = a;
  one.learn(b);
  other.learn(b);
  EXPECT_TRUE(one.same_as(other));
  const size_t waiting = history.waiting();
  one.learn(b);
  one.learn(a);
  EXPECT_EQ(history.waiting(), waiting);
  a.learn(one);
  EXPECT_TRUE(a.same_as(one)) << "one has learned from a, so it knows more";
}

TEST(Clock, WhatOneLearnsBesidesIsNotTheOthers) {
  History history;
  Clock a, b;
  a.learn(history, all_of(1, 1, 5));
  b.learn(history, all_of(2, 1, 5));
  Clock one = a, other = a;
  one.learn(b);
  one.learn(history, all_of(3, 1, 5));
  other.learn(b);
  EXPECT_TRUE(other.knows(2, 0, 4));
  EXPECT_FALSE(other.knows(3, 0, 4));
}

TEST(Clock, OlderVersionsAreNotAskedAboutLaterAccesses) {
  History history;
  Clock clock;
  history.set_now(10);
  clock.learn(history, all_of(1, 1, 5));
  EXPECT_TRUE(clock.knows(1, 0, 4, 10));
  EXPECT_FALSE(clock.knows(1, 0, 4, 11)) << "such an access cannot be among them";
  Clock other;
  other.learn(history, all_of(2, 1, 5));
  clock.learn(other);
  history.set_now(11);
  clock.learn(history, all_of(3, 1, 5));
  EXPECT_TRUE(clock.knows(3, 0, 4, 11)) << "a version that has learned more is not older";
}

// Versions that nobody has any longer are freed, without recursion: this chain would need more than the stack.
TEST(Clock, WhatWaitsIsBounded) {
  History history;
  {
    Clock clock, flag;
    for (uint32_t i = 1; i <= 2 * History::kMostWaiting; ++i) {
      clock.learn(flag);
      clock.learn(history, Accesses{i % 100, 1, i % 32, 0, i});
      if (i % 3) flag = clock;
    }
    EXPECT_LE(history.waiting(), History::kMostWaiting);
    EXPECT_GT(history.waiting(), 0u);
    const uint32_t last = 2 * History::kMostWaiting;
    EXPECT_TRUE(clock.knows(last % 100, last % 32, last - 1));
    EXPECT_TRUE(clock.knows(1, 1, 0));
  }
  EXPECT_EQ(history.waiting(), 0u);
}

TEST(Clock, AfterALongSearchTheNextQuestionsSettleAtOnce) {
  History history;
  Clock clock;
  const auto ask_about_nothing = [&] { EXPECT_FALSE(clock.knows(1000, 0, 1)); };
  for (uint32_t warp = 0; warp < 200; ++warp) clock.learn(history, all_of(warp, 1, 5));
  EXPECT_EQ(history.waiting(), 200u);
  ask_about_nothing();
  EXPECT_EQ(history.waiting(), 0u) << "it met too many versions";
  for (uint32_t moment = 6; moment < 6 + History::kAtOnce; ++moment) {
    clock.learn(history, all_of(0, 1, moment));
    ask_about_nothing();
    ASSERT_EQ(history.waiting(), 0u) << moment;
  }
  clock.learn(history, all_of(1, 1, 6));
  ask_about_nothing();
  EXPECT_EQ(history.waiting(), 1u) << "then questions look again";
}

// Only one lane's access of that warp is remembered.
TEST(Clock, ARowIsSettledOnlyInPart) {
  const RememberedBy by(8);
  History history;
  history.set_now(by.at(0, 20, 8));
  history.set_remembered([&](SegmentId from) {
    std::optional<Remembered> remembered({{by.segments, 1, 8}, from});
    remembered->add(by.at(1, 5, 8), 0);
    return remembered;
  });
  Clock clock;
  Moments row;
  row.fill(9);
  clock.learn(history, all_of(3, 1, 9));
  clock.learn(history, 1, row);
  EXPECT_TRUE(clock.knows(1, 0, 8));
  std::vector<Clock> others(History::kFewWaiting);
  for (Clock& other : others) other.learn(history, all_of(4, 1, 9));
  EXPECT_LT(history.waiting(), History::kFewWaiting);
  EXPECT_TRUE(clock.knows(1, 0, 5));
  EXPECT_FALSE(clock.knows(1, 0, 8)) << "nobody can ask about it";
  EXPECT_FALSE(clock.knows(1, 1, 5));
}

TEST(Clock, ARowThatHasLearnedMorePassesOnAllOfIt) {
  const RememberedBy by(8);
  const SegmentId from = by.at(0, 20, 8);
  Remembered remembered({by.segments, 1, 8}, from);
  for (const uint32_t warp : {1, 2}) remembered.add(by.at(warp, 5, 8), 0);
  History history;
  history.set_now(from);
  Clock row, other;
  row.learn(history, 1, Moments{9});
  history.begin_together(remembered);
  row.learn(history, all_of(2, 1, 9));
  history.end_together();
  other.learn(history, all_of(3, 1, 9));
  other.learn(row);
  history.begin_together(remembered);
  history.end_together();
  EXPECT_TRUE(other.knows(1, 0, 5));
  EXPECT_TRUE(other.knows(2, 0, 5));
}

// Clocks against a table, in which nothing is shared and nothing waits.
TEST(Clock, SaysWhatATableSays) {
  constexpr uint32_t kWarps = 300, kClocks = 6;
  using Table = std::vector<Moments>;
  History history;
  std::vector<Clock> clocks(kClocks);
  std::vector<Table> tables(kClocks, Table(kWarps));
  std::mt19937 random(1);
  const auto draw = [&](uint32_t n) { return static_cast<uint32_t>(random() % n); };
  const auto raise = [](uint32_t& moment, uint32_t to) { moment = std::max(moment, to); };
  for (uint32_t step = 1; step < 6000; ++step) {
    const uint32_t into = draw(kClocks), from = draw(kClocks), warp = draw(kWarps), lane = draw(kWarpSize);
    const uint32_t moment = 1 + draw(1000), before = draw(moment + 1);
    history.set_now(step);
    switch (draw(6)) {
      case 0:
      case 1:
        clocks[into].learn(history, {warp, 1, lane, before, moment});
        for (uint32_t& known : tables[into][warp]) raise(known, before);
        raise(tables[into][warp][lane], moment);
        break;
      case 2: {
        Moments moments{};
        moments[lane] = moment;
        clocks[into].learn(history, warp, moments);
        raise(tables[into][warp][lane], moment);
        break;
      }
      case 3:
      case 4:
        clocks[into].learn(clocks[from]);
        for (uint32_t w = 0; w < kWarps; ++w)
          for (int l = 0; l < kWarpSize; ++l) raise(tables[into][w][l], tables[from][w][l]);
        break;
      default:
        clocks[into] = clocks[from];
        tables[into] = tables[from];
        if (draw(20) == 0) clocks[into] = {}, tables[into].assign(kWarps, {});
        if (draw(50) == 0) history.settle();
    }
    if (draw(4)) continue;  // so that questions come early and late
    for (uint32_t c = 0; c < kClocks; ++c) {
      const uint32_t known = tables[c][warp][lane];
      EXPECT_FALSE(clocks[c].knows(warp, lane, known));
      if (known) { EXPECT_TRUE(clocks[c].knows(warp, lane, known - 1)); }
    }
  }
}

}  // namespace
}  // namespace lockstep
