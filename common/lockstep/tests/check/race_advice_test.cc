// race_advice_test: each way to race has its own cure.
#include "check/race_advice.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

bool says(const RacePair& race, const std::string& text) { return advice(race).find(text) != std::string::npos; }

TEST(RaceAdvice, ABarrierForWhatABarrierMends) {
  EXPECT_TRUE(says({.same_warp = true, .same_block = true}, "put __syncwarp()"));
  EXPECT_TRUE(says({.same_block = true}, "put __syncthreads()"));
  EXPECT_TRUE(says({}, "hand over with a flag"));
}

TEST(RaceAdvice, NoBarrierForWhatItCannotMend) {
  for (const bool same_warp : {false, true}) {
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .updates = true}, "one atomic operation"));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .same_write = true}, "let one thread write it"));
    EXPECT_TRUE(says({.same_warp = same_warp, .same_block = true, .one_atomic = true}, "make the other atomic, too"));
  }
  EXPECT_TRUE(says({.both_strong = true}, "use the atomic without _block"));
  EXPECT_FALSE(says({.both_strong = true}, "__threadfence()")) << "it is no matter of order";
}

TEST(RaceAdvice, TheIdiomIsToldAsThat) {
  EXPECT_TRUE(says({.updates = true, .only_fence = true}, "Only the reader's fence is missing"));
  EXPECT_TRUE(says({.has_volatile = true}, "takes volatile as plain"));
}

}  // namespace
}  // namespace lockstep
