// atomic_loop_test: the loops that ptxas writes for some atomics, with few lanes, counted by hand. counters_test
// compares whole warps with a card.
#include "count/atomic_loop.h"

#include <gtest/gtest.h>

namespace lockstep {
namespace {

// Lane l of the mask at byte 8 * slot(l).
template <class Slot>
AtomicLoop loop_of(Mask mask, const Slot& slot) {
  AtomicLoop loop;
  loop.mask = mask;
  for (uint32_t l = 0; l < kWarpSize; ++l) loop.addresses[l] = 8 * slot(l);
  return loop;
}

TEST(AtomicLoop, EachLaneOfItsOwnWordTriesOnce) {
  AtomicLoop loop = loop_of(0b111, [](uint32_t l) { return l; });
  loop.next = [](uint64_t old, uint32_t) { return old + 1; };
  const LoopTraffic traffic = run_cast_loop(loop, 8);
  EXPECT_EQ(traffic.loads.total, 1u);
  EXPECT_EQ(traffic.tries.total, 2u) << "one phase";
  EXPECT_EQ(traffic.tries.ideal, 2u) << "counts no conflict";
}

TEST(AtomicLoop, LanesOfOneWordTryOneAfterTheOther) {
  AtomicLoop loop = loop_of(0b111, [](uint32_t) { return 5; });
  loop.next = [](uint64_t old, uint32_t) { return old + 1; };
  const LoopTraffic traffic = run_cast_loop(loop, 8);
  EXPECT_EQ(traffic.loads.total, 3u);
  EXPECT_EQ(traffic.tries.total, 6u);
}

TEST(AtomicLoop, APhaseHasSixteenLanesOfEightBytes) {
  AtomicLoop loop = loop_of(1u << 15 | 1u << 16, [](uint32_t l) { return l; });
  loop.next = [](uint64_t old, uint32_t) { return old + 1; };
  EXPECT_EQ(run_cast_loop(loop, 8).tries.total, 4u);
  EXPECT_EQ(run_cast_loop(loop, 4).tries.total, 2u) << "and 32 of four bytes";
}

// min and max: a lane that would change nothing does not try. The lanes beside it still do.
TEST(AtomicLoop, ALaneThatLeavesTakesNoOtherWithIt) {
  AtomicLoop loop = loop_of(0b111, [](uint32_t l) { return l; });
  loop.leaves_if_same = true;
  for (const uint32_t leaves : {0u, 1u, 2u}) {
    uint32_t asked = 0;
    loop.next = [&](uint64_t old, uint32_t lane) {
      ++asked;
      return lane == leaves ? old : old + 1;
    };
    const LoopTraffic traffic = run_cast_loop(loop, 8);
    EXPECT_EQ(traffic.loads.total, 1u) << leaves;
    EXPECT_EQ(traffic.tries.total, 2u) << leaves;
    EXPECT_EQ(asked, 3u) << leaves;
  }
  loop.next = [](uint64_t old, uint32_t) { return old; };
  EXPECT_EQ(run_cast_loop(loop, 8).tries.total, 0u) << "nobody tries";
}

// Each round brings one lane to its end. Lane 1 leaves in the first one.
TEST(AtomicLoop, OfOneWordEachLaneThatStaysTries) {
  AtomicLoop loop = loop_of(0b1111, [](uint32_t) { return 5; });
  loop.leaves_if_same = true;
  loop.next = [](uint64_t old, uint32_t lane) { return lane == 1 ? old : old + 1; };
  const LoopTraffic traffic = run_cast_loop(loop, 8);
  EXPECT_EQ(traffic.tries.total, 6u) << "lanes 0, 2 and 3";
}

}  // namespace
}  // namespace lockstep
