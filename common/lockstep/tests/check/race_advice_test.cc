// race_advice_test: each way to race has its own cause and its own cure.
#include "check/race_advice.h"

#include <gtest/gtest.h>
#include "base/words.h"

#include <algorithm>

namespace lockstep {
namespace {

bool says(const RacePair& race, const std::string& text) { return plain(advice(race)).find(text) != std::string::npos; }

TEST(RaceAdvice, ABarrierForWhatABarrierMends) {
  EXPECT_TRUE(says({.same_warp = true, .same_block = true}, "put __syncwarp()"));
  EXPECT_TRUE(says({.same_block = true}, "put __syncthreads()"));
  EXPECT_TRUE(says({}, "let a second kernel do what comes later"));
  EXPECT_TRUE(says({.may_signal = true}, "put __threadfence() between"));
}

TEST(RaceAdvice, TheBarrierHasItsPlace) {
  RacePair race{.same_block = true, .missing = {{"write", "read", 12, 14, false}}};
  EXPECT_TRUE(says(race, "No barrier stands between the write at line 12 and the read at line 14."));
  EXPECT_TRUE(says(race, "Next: put __syncthreads() after line 12, before line 14."));
  race.missing = {{"read", "write", 14, 12, true}};
  EXPECT_TRUE(
      says(race, "The read at line 14 in one turn of the loop races with the write at line 12 in the next turn."));
  EXPECT_TRUE(says(race, "Next: put __syncthreads() after line 14, at the end of the loop's turn."));
  race.missing = {{"write", "read", 12, 14, false}, {"read", "write", 14, 12, true}};
  EXPECT_TRUE(says(race, "after line 12, before line 14, and another one after line 14, at the end"));
  race.missing = {{"read", "write", 12, 12, false}};
  EXPECT_TRUE(says(race, "Next: in line 12, keep what you read in a variable; then __syncthreads(); then write."));
  EXPECT_TRUE(says(race, "If only one of the two threads should come here, correct the condition."));
  race.same_warp = true;
  EXPECT_TRUE(says(race, "__syncwarp()"));
}

TEST(RaceAdvice, NoBarrierForWhatItCannotMend) {
  for (const bool same_warp : {false, true}) {
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .updates = true}, "one atomic operation"));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .one_step = "atomicMax"}, "operation: atomicMax."));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .one_step = "atomicCAS"}, "let only one of the two"))
        << "no simple operation is rarely meant";
    EXPECT_TRUE(says({.same_block = true, .one_step = "atomicCAS", .may_lock = true}, "operation: atomicCAS."));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .same_write = true}, "let one thread write it"));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .one_atomic = true}, "make the other atomic, too"));
  }
  EXPECT_TRUE(says({.both_strong = true, .one_step = "atomicAdd"}, "use atomicAdd instead of atomicAdd_block"));
  EXPECT_FALSE(says({.both_strong = true}, "__threadfence()")) << "it is no matter of order";
}

TEST(RaceAdvice, AnAtomicDoesNotWaitForOtherThreads) {
  RacePair race{.same_block = true, .one_atomic = true, .missing = {{"atomic", "read", 12, 14, false}}};
  EXPECT_TRUE(says(race, "Next: put __syncthreads() after line 12, before line 14."));
  EXPECT_TRUE(says(race, "only if they may come in any order"));
  race.may_wait = true;
  EXPECT_TRUE(says(race, "make the other atomic, too")) << "a barrier cannot replace a lock or a flag";
  EXPECT_FALSE(says({.one_atomic = true}, "barrier")) << "no barrier orders blocks";
}

TEST(RaceAdvice, AnUpdateInTheNextTurnOfATreeNeedsABarrier) {
  RacePair race{.same_block = true, .updates = true, .one_step = "atomicAdd", .moves = true};
  race.missing.push_back({"write", "read", 26, 26, true});
  EXPECT_TRUE(says(race, "Next: put __syncthreads() after line 26, at the end of the loop's turn"));
  race.moves = false;
  EXPECT_TRUE(says(race, "Next: make the update one atomic operation: atomicAdd"));
  race.moves = true;
  race.same_block = false;
  EXPECT_TRUE(says(race, "Next: let each block update elements of its own.")) << "no barrier orders blocks";
}

TEST(RaceAdvice, TheIdiomIsToldAsThat) {
  EXPECT_TRUE(says({.updates = true, .only_fence = true}, "Only the reader's fence is missing"));
  EXPECT_TRUE(says({.has_volatile = true}, "takes volatile as plain"));
}

TEST(RaceAdvice, NoRaceIsRightByLuckAndEachHasOneNextStep) {
  for (const bool same_warp : {false, true})
    for (const bool same_block : {same_warp, true})
      for (int which = 0; which < 64; ++which) {
        const RacePair race{.same_warp = same_warp,
                            .same_block = same_block,
                            .both_strong = (which & 1) != 0,
                            .one_atomic = (which & 2) != 0,
                            .same_write = (which & 4) != 0,
                            .updates = (which & 8) != 0,
                            .only_fence = (which & 16) != 0,
                            .may_signal = (which & 32) != 0};
        const std::string text = plain(advice(race));
        EXPECT_FALSE(says(race, "luck")) << text;
        const size_t next = text.find("Next: ");
        ASSERT_NE(next, std::string::npos) << text;
        EXPECT_EQ(text.find("Next: ", next + 1), std::string::npos) << text;
        EXPECT_LE(std::ranges::count(text, '\n'), 3) << text;
      }
}

}  // namespace
}  // namespace lockstep
