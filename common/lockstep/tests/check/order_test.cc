// order_test: which accesses happened before which, up to the records of a word. order_model_test has random programs.
#include "check/order.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <optional>
#include <vector>

#include "check/races.h"

namespace lockstep {
namespace {

// Two blocks of two warps each, in one launch.
class OrderTest : public testing::Test {
 protected:
  OrderTest() {
    order_.begin_launch(true);
    order_.begin_block(a_, 0, 2);
    order_.begin_block(b_, 1, 2);
  }
  static MemoryAccess access(MemoryOp op, MemoryOrder order, Scope scope = Scope::kDevice) {
    MemoryAccess access;
    access.op = op;
    access.order = order;
    access.scope = scope;
    return access;
  }
  // Lane 0 of warp 0 of block a writes data, fences and stores a flag; lane 0 of the reader's warp reads the flag and
  // fences.
  bool handed_over(std::optional<Scope> writers_fence, std::optional<Scope> readers_fence, BlockOrder& reader,
                   uint32_t warp = 0) {
    const SegmentId data = order_.stamp(a_, 0);
    if (writers_fence) order_.fence(a_, {0, 1}, *writers_fence);
    order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelaxed));
    order_.strong(reader, {warp, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kRelaxed));
    if (readers_fence) order_.fence(reader, {warp, 1}, *readers_fence);
    return order_.before(data, 0, reader, warp, 0);
  }

  Order order_;
  BlockOrder a_, b_;
};

TEST_F(OrderTest, AThreadKnowsItselfAndNobodyElse) {
  const SegmentId s = order_.stamp(a_, 0);
  EXPECT_TRUE(order_.before(s, 4, a_, 0, 4));
  EXPECT_FALSE(order_.before(s, 4, a_, 0, 5)) << "lanes of one warp are not ordered by running in step";
  EXPECT_FALSE(order_.before(s, 4, a_, 1, 4));
  EXPECT_FALSE(order_.before(s, 4, b_, 0, 4));
}

TEST_F(OrderTest, ABarrierOrdersItsBlock) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.join_block(a_);
  EXPECT_TRUE(order_.before(s, 4, a_, 1, 9));
  EXPECT_FALSE(order_.before(s, 4, b_, 1, 9));
  EXPECT_FALSE(order_.before(order_.stamp(a_, 0), 4, a_, 1, 9)) << "what comes behind the barrier is not ordered";
}

TEST_F(OrderTest, ASyncOrdersTheLanesThatItJoins) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.join_lanes(a_, {0, 0x0000ffff}, kFullMask);
  EXPECT_TRUE(order_.before(s, 4, a_, 0, 15));
  EXPECT_FALSE(order_.before(s, 4, a_, 0, 16));
  EXPECT_FALSE(order_.before(s, 20, a_, 0, 15));
  order_.join_lanes(a_, {0, 0xffff8000}, kFullMask);  // lane 15 passes its knowledge on
  EXPECT_TRUE(order_.before(s, 4, a_, 0, 30));
  order_.join_lanes(a_, {0, kFullMask}, kFullMask);
  EXPECT_TRUE(order_.before(s, 20, a_, 0, 0));
}

TEST_F(OrderTest, AnEarlierLaunchIsBeforeEverything) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.begin_launch(true);
  order_.begin_block(b_, 1, 2);
  EXPECT_TRUE(order_.before(s, 4, b_, 1, 9));
}

TEST_F(OrderTest, AFlagNeedsBothFences) { EXPECT_TRUE(handed_over(Scope::kDevice, Scope::kDevice, b_)); }
TEST_F(OrderTest, AFlagWithoutTheWritersFence) {
  const SegmentId data = order_.first_segment();
  EXPECT_FALSE(handed_over({}, Scope::kDevice, b_));
  EXPECT_FALSE(order_.lacks_fence(data, 0, b_));
}
TEST_F(OrderTest, AFlagWithoutTheReadersFence) {
  const SegmentId data = order_.first_segment();
  EXPECT_FALSE(handed_over(Scope::kDevice, {}, b_));
  EXPECT_TRUE(order_.lacks_fence(data, 0, b_)) << "and nothing else";
}
TEST_F(OrderTest, AFenceOfTheBlockReachesNoOtherBlock) {
  EXPECT_FALSE(handed_over(Scope::kBlock, Scope::kDevice, b_));
  EXPECT_FALSE(handed_over(Scope::kDevice, Scope::kBlock, b_));
  order_.fence(b_, {0, 1}, Scope::kDevice);
  EXPECT_TRUE(order_.before(order_.first_segment(), 0, b_, 0, 0)) << "a wider one makes up for it";
}
TEST_F(OrderTest, WithinABlockItsFencesDo) { EXPECT_TRUE(handed_over(Scope::kBlock, Scope::kBlock, a_, 1)); }

TEST_F(OrderTest, ReleaseAndAcquireCarryWhatTheThreadKnows) {
  const SegmentId others = order_.stamp(a_, 1);
  order_.join_block(a_);  // warp 0 knows warp 1 now
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(b_, {1, 1u << 3}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(others, 7, b_, 1, 3));
  EXPECT_FALSE(order_.before(others, 7, b_, 1, 4)) << "another lane has acquired nothing";
  order_.join_block(b_);
  EXPECT_TRUE(order_.before(others, 7, b_, 0, 4)) << "until a barrier told it";
}

TEST_F(OrderTest, AWiderReleaseAlsoReachesAFenceOfTheBlock) {
  const SegmentId data = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kRelaxed));
  EXPECT_FALSE(order_.before(data, 0, a_, 1, 0));
  order_.fence(a_, {1, 1}, Scope::kBlock);
  EXPECT_TRUE(order_.before(data, 0, a_, 1, 0));
}

// What the lanes of a warp do together is the same as what they do one after the other.
class Together : public OrderTest, public testing::WithParamInterface<MemoryOrder> {};

TEST_P(Together, EachLaneKnowsTheLanesBeforeIt) {
  constexpr Mask kSome = 0b1110;
  const MemoryAccess add = access(MemoryOp::kAtomic, GetParam());
  const auto do_it = [&](BlockOrder& block, Mask mask) {
    if (GetParam() == MemoryOrder::kAcquire) order_.fence(block, {0, mask}, Scope::kDevice);
    order_.strong(block, {0, mask}, 400, add);
  };
  const SegmentId data = order_.stamp(a_, 0);
  do_it(a_, kSome);
  EXPECT_TRUE(order_.before(data, 1, a_, 0, 3));
  EXPECT_TRUE(order_.before(data, 2, a_, 0, 3));
  EXPECT_FALSE(order_.before(data, 3, a_, 0, 2)) << "a later lane";
  EXPECT_FALSE(order_.before(data, 0, a_, 0, 3)) << "a lane that takes no part";
  EXPECT_FALSE(order_.before(data, 1, b_, 0, 1));
  do_it(b_, kFullMask);
  for (const uint32_t lane : {1u, 2u, 3u}) EXPECT_TRUE(order_.before(data, lane, b_, 0, 31)) << lane;
  EXPECT_FALSE(order_.before(data, 0, b_, 0, 31));
  EXPECT_FALSE(order_.before(data, 1, b_, 1, 31)) << "another warp has acquired nothing";
  const SegmentId later = order_.stamp(b_, 0);
  order_.strong(a_, {1, 1u << 5}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(data, 3, a_, 1, 5));
  EXPECT_FALSE(order_.before(later, 7, a_, 1, 5)) << "after the release";
}

INSTANTIATE_TEST_SUITE_P(Order, Together, testing::Values(MemoryOrder::kAcquireRelease, MemoryOrder::kAcquire));

TEST_F(OrderTest, WhatIsAcquiredBehindAFenceIsNotReleasedByIt) {
  order_.begin_launch(false);
  order_.begin_block(a_, 0, 2);
  order_.begin_block(b_, 1, 2);
  const MemoryAccess add = access(MemoryOp::kAtomic, MemoryOrder::kAcquire);
  const SegmentId data = order_.stamp(a_, 0);
  order_.fence(a_, {0, 0b111}, Scope::kDevice);
  order_.strong(a_, {0, 0b011}, 400, add);
  EXPECT_TRUE(order_.before(data, 0, a_, 0, 1));
  order_.strong(a_, {0, 0b110}, 404, add);
  order_.strong(b_, {0, 1}, 404, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(data, 1, b_, 0, 0));
  EXPECT_FALSE(order_.before(data, 0, b_, 0, 0)) << "lane 1 has learned it after its fence";
}

// What one read has told is not lost when a read of a narrower scope follows.
TEST_F(OrderTest, TwoReadsOfOneFlagInTwoScopes) {
  const SegmentId data = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kRelaxed));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kRelaxed, Scope::kBlock));
  order_.fence(b_, {0, 1}, Scope::kDevice);
  EXPECT_TRUE(order_.before(data, 0, b_, 0, 0));
}

// The lanes of a warp acquire from another block at the scope of the card.
TEST_F(OrderTest, WhatCameFromAnotherBlockIsNotReleasedAtTheScopeOfTheBlock) {
  const SegmentId data = order_.stamp(b_, 0);
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.fence(a_, {0, 0b11}, Scope::kDevice);
  order_.strong(a_, {0, 0b11}, 400, access(MemoryOp::kAtomic, MemoryOrder::kAcquire));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire, Scope::kBlock));
  EXPECT_TRUE(order_.before(data, 0, a_, 0, 1));
  EXPECT_FALSE(order_.before(data, 0, a_, 1, 0));
}

TEST_F(OrderTest, SharedMemoryIsEachBlocksOwn) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, kSharedWindow, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(b_, {0, 1u << 0}, kSharedWindow, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_FALSE(order_.before(s, 0, b_, 0, 0));
  order_.strong(a_, {1, 1u << 0}, kSharedWindow, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(s, 0, a_, 1, 0));
  order_.begin_block(a_, 2, 2);
  EXPECT_TRUE(a_.released.empty()) << "the next block in its place begins anew";
}

TEST_F(OrderTest, AnAtomicGoesOnWithWhatWasReleased) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kReduction, MemoryOrder::kRelaxed));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(s, 0, b_, 0, 0));
}

// A compare-and-swap that finds another value writes nothing. It still reads.
TEST_F(OrderTest, AFailedSwapAcquiresAndDoesNotRelease) {
  const MemoryAccess swap = access(MemoryOp::kAtomic, MemoryOrder::kAcquireRelease);
  const SegmentId first = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, swap);
  const SegmentId second = order_.stamp(b_, 0);
  order_.strong(b_, {0, 1u << 0}, 400, swap, 1u << 0);
  EXPECT_TRUE(order_.before(first, 0, b_, 0, 0));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(first, 0, a_, 1, 0)) << "what was released before stays";
  EXPECT_FALSE(order_.before(second, 0, a_, 1, 0));
}

TEST_F(OrderTest, LanesWhoseSwapFailsReleaseNothingBesideOneThatDoes) {
  const SegmentId data = order_.stamp(a_, 0);
  order_.strong(a_, {0, 0b111}, 400, access(MemoryOp::kAtomic, MemoryOrder::kAcquireRelease), 0b110);
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(data, 0, b_, 0, 0));
  EXPECT_FALSE(order_.before(data, 1, b_, 0, 0));
  EXPECT_TRUE(order_.before(data, 0, a_, 0, 2)) << "they have acquired what the lane before them released";
}

TEST_F(OrderTest, AFailedSwapBehindAFenceReleasesNothing) {
  const SegmentId data = order_.stamp(a_, 0);
  order_.fence(a_, {0, 1}, Scope::kDevice);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kAtomic, MemoryOrder::kRelaxed), 1u << 0);
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_FALSE(order_.before(data, 0, b_, 0, 0));
}

TEST_F(OrderTest, AStoreEndsWhatWasReleasedBeforeIt) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelaxed));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_FALSE(order_.before(s, 0, b_, 0, 0)) << "the load reads the second store, which releases nothing";
}

// Also if the storing thread has made no access that memory remembers, so that its release passes nothing on.
TEST_F(OrderTest, AStoreOfAThreadWithoutAccessesEndsWhatWasReleased) {
  for (const bool another : {false, true}) {
    SegmentId data = 0;
    const auto remember = [&](Remembered& remembered) { return remembered.add(data, 0), true; };
    Order order(remember, 8);  // one event is enough for clocks to learn only what is remembered
    order.begin_launch(true);
    order.begin_block(a_, 0, 2);
    order.begin_block(b_, 1, 2);
    data = order.stamp(a_, 0);
    order.strong(a_, {0, 1}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
    if (another) order.strong(b_, {1, 1}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
    order.strong(b_, {0, 1}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
    EXPECT_EQ(order.before(data, 0, b_, 0, 0), !another);
    a_ = {}, b_ = {};  // their clocks go before the order
  }
}

TEST_F(OrderTest, AnAcquireOfTheBlockLearnsNothingFromAnotherBlock) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire, Scope::kBlock));
  EXPECT_TRUE(order_.before(s, 0, a_, 1, 0)) << "within the block it does";
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire, Scope::kBlock));
  EXPECT_FALSE(order_.before(s, 0, b_, 0, 0));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(s, 0, b_, 0, 0));
}

TEST_F(OrderTest, AReleaseOfTheBlockTellsNothingToAnotherBlock) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.strong(a_, {0, 1u << 0}, 400, access(MemoryOp::kStore, MemoryOrder::kRelease, Scope::kBlock));
  order_.strong(b_, {0, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_FALSE(order_.before(s, 0, b_, 0, 0));
  order_.strong(a_, {1, 1u << 0}, 400, access(MemoryOp::kLoad, MemoryOrder::kAcquire));
  EXPECT_TRUE(order_.before(s, 0, a_, 1, 0));
}

TEST_F(OrderTest, ABarrierOfSomeOrdersThoseAlone) {
  const SegmentId s = order_.stamp(a_, 0);
  order_.join_some(a_, 1, {{0, kFullMask}, {1, 0x1}});
  EXPECT_TRUE(order_.before(s, 4, a_, 1, 0));
  EXPECT_FALSE(order_.before(s, 4, a_, 1, 1));
}

// ---- the records of a stretch of 64 words ----

class RacesTest : public OrderTest {
 protected:
  // Conflicts of one access: each lane of `mask` at byte 4 · word_of(lane).
  template <class WordOf>
  std::vector<Conflict> note(MemoryOp op, BlockOrder& block, uint32_t warp, Mask mask, const WordOf& word_of,
                             uint32_t bytes = 4) {
    MemoryAccess a = access(op, MemoryOrder::kWeak);
    a.bytes = static_cast<uint8_t>(bytes);
    return note(a, block, warp, mask, word_of);
  }
  template <class WordOf>
  std::vector<Conflict> note(MemoryAccess a, BlockOrder& block, uint32_t warp, Mask mask, const WordOf& word_of) {
    a.index = ++index_;
    std::array<uint64_t, kWarpSize> at{};
    for (uint32_t l = 0; l < kWarpSize; ++l) at[l] = word_of(l);
    std::vector<Conflict> conflicts;
    const Cells cells{words_[0].data(), words_[1].data(), words_[2].data(), words_[0].size()};
    note_access({order_, block, cells, warp, order_.stamp(block, warp), order_.first_segment()}, a, mask, at.data(),
                conflicts);
    return conflicts;
  }

  std::array<std::array<Record, 64>, 3> words_{};
  uint32_t index_ = 0;
};

constexpr auto kOwn = [](uint32_t l) { return 4 * l; };
constexpr auto kRight = [](uint32_t l) { return 4 * l + 4; };

TEST_F(RacesTest, ARecordIsLaidOutAsRowsTakeItApart) {
  note(MemoryOp::kStore, a_, 0, kFullMask, kOwn);
  EXPECT_EQ(words_[0][7].lane, 7u);
  EXPECT_EQ(words_[0][7].bytes, 15u);
  EXPECT_EQ(words_[0][7].segment, order_.stamp(a_, 0));
  Record strong;
  strong.atomic = 1;
  EXPECT_EQ(std::bit_cast<uint64_t>(strong), uint64_t{1} << 41);
}

TEST_F(RacesTest, OwnWordsAreNobodysBusiness) {
  EXPECT_TRUE(note(MemoryOp::kStore, a_, 0, kFullMask, kOwn).empty());
  EXPECT_TRUE(note(MemoryOp::kLoad, a_, 0, kFullMask, kOwn).empty());
  EXPECT_TRUE(note(MemoryOp::kStore, a_, 0, kFullMask, kOwn).empty());
}

TEST_F(RacesTest, TheNeighboursWordIsARace) {
  note(MemoryOp::kStore, a_, 0, kFullMask, kOwn);
  EXPECT_EQ(note(MemoryOp::kLoad, a_, 0, 0x7fffffff, kRight).size(), 31u);
  order_.join_lanes(a_, {0, kFullMask}, kFullMask);
  EXPECT_TRUE(note(MemoryOp::kLoad, a_, 0, 0x7fffffff, kRight).empty());
}

// An array that is updated in place: whichever of the two reads comes first, the write conflicts with the neighbour's
// read.
TEST_F(RacesTest, BothReadersAreRemembered) {
  note(MemoryOp::kLoad, a_, 0, kFullMask, kRight);
  note(MemoryOp::kLoad, a_, 0, kFullMask, kOwn);
  EXPECT_EQ(note(MemoryOp::kStore, a_, 0, kFullMask, kOwn).size(), 31u);
  note(MemoryOp::kLoad, a_, 1, kFullMask, kOwn);
  EXPECT_FALSE(note(MemoryOp::kStore, a_, 1, kFullMask, kOwn).empty());
}

TEST_F(RacesTest, AReaderFromAnotherBlockReplacesASecondOneFromTheSame) {
  note(MemoryOp::kLoad, a_, 0, 1, kOwn);
  note(MemoryOp::kLoad, a_, 1, 1, kOwn);
  note(MemoryOp::kLoad, b_, 0, 1, kOwn);
  order_.join_block(a_);
  EXPECT_EQ(note(MemoryOp::kStore, a_, 0, 1, kOwn).size(), 1u) << "block b's read";
}

// An atomic of block scope is no atomic to another block, whichever of the two comes first.
TEST_F(RacesTest, OneSideOfBlockScopeIsEnoughForARace) {
  const auto add = [](Scope scope) {
    MemoryAccess a = access(MemoryOp::kReduction, MemoryOrder::kRelaxed, scope);
    a.bytes = 4;
    return a;
  };
  const auto word = [](uint32_t at) { return [at](uint32_t) { return 4 * at; }; };
  note(add(Scope::kBlock), a_, 0, 1, word(0));
  EXPECT_TRUE(note(add(Scope::kBlock), a_, 1, 1, word(0)).empty()) << "one block";
  EXPECT_EQ(note(add(Scope::kDevice), b_, 0, 1, word(0)).size(), 1u) << "the earlier one has block scope";
  note(add(Scope::kDevice), a_, 0, 1, word(1));
  EXPECT_EQ(note(add(Scope::kBlock), b_, 0, 1, word(1)).size(), 1u) << "the later one has block scope";
  note(add(Scope::kDevice), a_, 0, 1, word(2));
  EXPECT_TRUE(note(add(Scope::kDevice), b_, 0, 1, word(2)).empty()) << "neither has";
}

TEST_F(RacesTest, BytesOfAWordAreToldApart) {
  const auto byte = [](uint32_t l) { return l; };
  EXPECT_TRUE(note(MemoryOp::kStore, a_, 0, kFullMask, byte, 1).empty());
  EXPECT_TRUE(note(MemoryOp::kLoad, a_, 0, kFullMask, byte, 1).empty());
  EXPECT_FALSE(note(MemoryOp::kLoad, a_, 1, 0xff, kOwn).empty()) << "a whole word takes in the others' bytes";
}

}  // namespace
}  // namespace lockstep
