// flow_test: loops, conditions and early meetings on small graphs worked out by hand.
#include "sass/flow.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

using Edges = std::vector<std::vector<uint32_t>>;

// The instruction i compares in line 100 + i if it branches.
FlowFacts facts_of(const Edges& edges, const std::vector<uint32_t>& roots = {0}) {
  Flow flow(static_cast<uint32_t>(edges.size()));
  flow.successors = edges;
  flow.roots = roots;
  for (uint32_t i = 0; i < flow.end(); ++i)
    if (edges[i].size() > 1) flow.asks[i].compares = flow.asks[i].near = {100 + i};
  return FlowFacts(std::move(flow));
}

std::vector<uint32_t> loops_of(const Edges& edges) {
  std::vector<uint32_t> found;
  const FlowFacts facts = facts_of(edges);
  for (const Place& place : facts.places()) found.push_back(place.loops);
  return found;
}

Conditions conditions_of(const FlowFacts& facts, uint32_t instruction) {
  Conditions found;
  for (const Asked& asked : facts.conditions(instruction)) found.insert(asked.near.begin(), asked.near.end());
  return found;
}

std::vector<bool> merges_of(const Edges& edges) {
  std::vector<bool> found;
  const FlowFacts facts = facts_of(edges);
  for (const Place& place : facts.places()) found.push_back(place.merges);
  return found;
}

using Numbers = std::vector<uint32_t>;
using Flags = std::vector<bool>;

TEST(Flow, ALoopIsWhatLeadsBackToItsHead) {
  EXPECT_EQ(loops_of({{1}, {2}, {1, 3}, {4}}), (Numbers{0, 1, 1, 0}));
  EXPECT_EQ(loops_of({{1}, {1, 2}, {3}}), (Numbers{0, 1, 0})) << "one instruction";
  EXPECT_EQ(loops_of({{1}, {2, 4}, {3}, {1}, {5}}), (Numbers{0, 1, 1, 1, 0})) << "the condition comes first";
}

TEST(Flow, LoopsInLoopsAreCounted) {
  const Edges nested = {{1}, {2}, {3}, {2, 4}, {1, 5}, {6}};
  EXPECT_EQ(loops_of(nested), (Numbers{0, 1, 2, 2, 1, 0}));
  const std::vector<Place> places = facts_of(nested).places();
  EXPECT_EQ(places[3].outer, 1u) << "the outermost";
  EXPECT_EQ(places[0].outer, kNoLoop);
}

TEST(Flow, TwoLoopsOneAfterTheOtherAreTwo) {
  const std::vector<Place> places = facts_of({{0, 1}, {1, 2}, {3}}).places();
  EXPECT_EQ(places[0].outer, 0u);
  EXPECT_EQ(places[1].outer, 1u);
}

TEST(Flow, ContinueMakesNoSecondLoop) { EXPECT_EQ(loops_of({{1, 2}, {0, 2}, {0, 3}, {4}}), (Numbers{1, 1, 1, 0})); }

TEST(Flow, WhatABranchPassesOverDependsOnIt) {
  const FlowFacts facts = facts_of({{1, 2}, {2}, {3}});
  EXPECT_EQ(conditions_of(facts, 1), Conditions{100});
  EXPECT_EQ(conditions_of(facts, 2), Conditions{});
}

TEST(Flow, AConditionInAConditionIsBoth) {
  const FlowFacts facts = facts_of({{1, 4}, {2, 3}, {3}, {4}, {5}});
  EXPECT_EQ(conditions_of(facts, 2), (Conditions{100, 101}));
  EXPECT_EQ(conditions_of(facts, 3), Conditions{100});
}

TEST(Flow, ALoopDependsOnWhatLeadsBack) {
  const FlowFacts facts = facts_of({{1}, {2}, {1, 3}, {4}});
  EXPECT_EQ(conditions_of(facts, 1), Conditions{102});
  EXPECT_EQ(conditions_of(facts, 3), Conditions{});
}

TEST(Flow, AGuardIsACondition) {
  Flow flow(2);
  flow.successors = {{1}, {2}};
  flow.roots = {0};
  flow.asks[0].near = {7};
  EXPECT_EQ(conditions_of(FlowFacts(flow), 0), Conditions{7});
}

TEST(Flow, AnEarlyReturnIsACondition) {
  EXPECT_EQ(conditions_of(facts_of({{1, 3}, {2}, {3}}), 1), Conditions{100}) << "if (i >= n) return;";
}

TEST(Flow, WhichFunctionIsCalledIsNoCondition) {
  const FlowFacts facts = facts_of({{1}, {4}, {3}, {4}}, {0, 2});
  EXPECT_EQ(conditions_of(facts, 1), Conditions{});
  EXPECT_EQ(conditions_of(facts, 3), Conditions{});
}

TEST(Flow, SidesOfAnIfMeetInTime) {
  EXPECT_EQ(merges_of({{1, 2}, {3}, {3}, {4}}), (Flags{false, false, false, false}));
}

// if (a || b) x; y: lanes come to x from both comparisons, before all meet at y.
TEST(Flow, OneSideOfAnOrIsAnEarlyMeeting) {
  EXPECT_EQ(merges_of({{1, 2}, {2, 4}, {3}, {4}, {5}}), (Flags{false, false, true, true, false}));
}

// while (a) { if (b) goto x; } y; goto z; x: …; z: lanes come to x, and to y, in different turns.
TEST(Flow, ALoopWithTwoExitsHasEarlyMeetings) {
  EXPECT_EQ(merges_of({{1}, {2, 3}, {1, 4}, {5}, {5}, {6}}), (Flags{false, false, false, true, true, false}));
  EXPECT_EQ(merges_of({{1}, {2, 3}, {1}, {4}}), (Flags{false, false, false, false})) << "one exit";
}

// do { if (a) { if (b) break; continue; } } while (c): who continues begins the next turn; the others come to c later.
TEST(Flow, WithSeveralStepsBackLanesMayBeInDifferentTurns) {
  const FlowFacts facts = facts_of({{1}, {2, 3}, {1, 4}, {1, 4}, {5}});
  EXPECT_EQ(facts.turns_apart(2), Numbers{1});
  EXPECT_EQ(facts.turns_apart(4), Numbers{}) << "behind the loop";
  EXPECT_EQ(facts_of({{1}, {2, 3}, {3}, {1, 4}, {5}}).turns_apart(1), Numbers{}) << "one step back";
  EXPECT_EQ(facts_of({{1}, {2, 3}, {4}, {4}, {1, 5}, {6}}).turns_apart(1), Numbers{}) << "both sides meet in the turn";
  // if (a) continue; …: all meet before the next turn's end, but not in the same turn.
  EXPECT_EQ(facts_of({{1}, {1, 2}, {1, 3}, {4}}).turns_apart(1), Numbers{1});
  EXPECT_EQ(facts_of({{1}, {2, 3}, {3, 4}, {1}, {5}}).turns_apart(1), Numbers{1}) << "the same with one step back";
}

// do { a; if (b) { c; } d; if (e) break; } while (f): b is asked before c, and e and f only in an earlier turn.
TEST(Flow, SomeConditionsAreOnlyOfEarlierTurns) {
  const FlowFacts facts = facts_of({{1}, {2, 3}, {3}, {5, 4}, {0, 5}, {6}});
  const auto in_turn = [&](uint32_t instruction) {
    Conditions found;
    for (const Asked& asked : facts.conditions(instruction))
      if (asked.in_turn) found.insert(asked.near.begin(), asked.near.end());
    return found;
  };
  EXPECT_EQ(conditions_of(facts, 2), (Conditions{101, 103, 104}));
  EXPECT_EQ(in_turn(2), Conditions{101});
  EXPECT_EQ(conditions_of(facts, 0), (Conditions{103, 104}));
  EXPECT_EQ(in_turn(0), Conditions{});
}

// while (a) { if (b) continue; if (c) break; }: those who continue and those who do not meet at the only step back.
TEST(Flow, LanesThatMeetAtTheStepBackMayBeginTheNextTurnApart) {
  const auto turns_of = [](const Edges& edges) {
    std::vector<bool> found;
    const FlowFacts facts = facts_of(edges);
    for (const Place& place : facts.places()) found.push_back(place.turns);
    return found;
  };
  EXPECT_EQ(turns_of({{1}, {2, 3}, {3, 4}, {1, 4}, {5}}), (Flags{false, true, true, true, false}));
  EXPECT_EQ(turns_of({{1}, {2, 3}, {3}, {1, 4}, {5}}), (Flags{false, false, false, false, false}))
      << "all meet before it";
  EXPECT_EQ(turns_of({{1}, {2, 4}, {3}, {1, 4}, {5}}), (Flags{false, false, false, false, false})) << "only a break";
}

TEST(Flow, WhoIsFurtherBehindComesFirst) {
  EXPECT_TRUE(facts_of({{1, 3}, {2}, {1, 3}, {4}}).in_order());
  EXPECT_FALSE(facts_of({{2}, {3}, {1}}).in_order()) << "a step to an earlier instruction without a loop";
  EXPECT_TRUE(facts_of({{1}, {2, 3}, {4}, {1, 4}, {5}}).in_order()) << "only a jump stands in the loop";
  EXPECT_FALSE(facts_of({{1}, {2, 4}, {3}, {5}, {1, 5}, {6}}).in_order()) << "more stands in the loop";
}

TEST(Flow, WhatCannotBeReachedOrNeverEndsDoesNoHarm) {
  EXPECT_EQ(loops_of({{3}, {2}, {1}, {4}}), (Numbers{0, 0, 0, 0}));
  EXPECT_EQ(loops_of({{1}, {0}}), (Numbers{1, 1}));
  EXPECT_EQ(loops_of({}), Numbers{});
}

}  // namespace
}  // namespace lockstep
