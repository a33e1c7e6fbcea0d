// races_model_test: random programs of accesses, fences and barriers, in races.h and in a plain model of the same rule.
// The model takes each lane and each word by itself. races.h has quicker ways for whole rows and for strong accesses.
#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <map>
#include <random>
#include <vector>

#include "check/races.h"

namespace lockstep {
namespace {

constexpr uint32_t kRaceWords = 96, kRaceBlocks = 3, kRaceWarps = 2;

struct ModelWord {
  Record writer, reader, other_reader;
};

// The rule, word by word. It asks the same order as races.h.
class ModelWords {
 public:
  std::vector<Conflict> note(const Accessor& who, const MemoryAccess& access, Mask mask, const uint64_t* bytes) {
    who_ = &who;
    found_.clear();
    const uint32_t size = access.bytes * access.count;
    for (uint32_t l = 0; l < kWarpSize; ++l)
      for (uint64_t byte = bytes[l]; (mask >> l & 1) && byte < bytes[l] + size; byte += 4) {
        Record me;
        me.segment = who.segment;
        me.lane = l & 31;
        me.bytes = (size < 4 ? ((1u << size) - 1) << byte % 4 : 15) & 15;
        const bool is_volatile = access.order == MemoryOrder::kVolatile;
        me.is_volatile = is_volatile;
        me.atomic = access.order != MemoryOrder::kWeak && !(is_volatile && who.plain_volatile);
        me.block_scope = access.scope == Scope::kBlock;
        me.access = access.index & kUnknownAccess;
        access.op == MemoryOp::kLoad ? read(words_[byte / 4], me, bytes[l]) : write(words_[byte / 4], me, bytes[l]);
      }
    return found_;
  }
  ModelWord& at(uint64_t word) { return words_[word]; }

 private:
  static bool same(const Record& a, const Record& b) { return a.segment == b.segment && a.lane == b.lane; }
  static bool says_more(const Record& a, const Record& b) {
    return same(a, b) && !a.atomic && b.atomic && (a.bytes | b.bytes) == a.bytes;
  }
  bool recent(const Record& r) const { return r.segment >= who_->floor; }
  bool before(const Record& r, const Record& me) const {
    return who_->order.before(r.segment, r.lane, who_->block, who_->warp, me.lane);
  }
  bool races(const Record& r, const Record& me) const {
    if (!recent(r) || same(r, me) || !(r.bytes & me.bytes)) return false;
    const Segment& s = who_->order.segment(r.segment);
    const bool in_block = s.block == who_->block.block, in_warp = in_block && s.warp == who_->warp;
    bool strong = r.atomic && me.atomic;
    if (r.is_volatile || me.is_volatile)
      strong = strong && !in_warp;
    else if (r.block_scope || me.block_scope)
      strong = strong && in_block;
    return !strong && !before(r, me);
  }
  static bool read_by(const ModelWord& word, const Record& who, uint32_t access) {
    return (same(word.reader, who) && word.reader.access == access) ||
           (same(word.other_reader, who) && word.other_reader.access == access);
  }
  uint32_t distance(const Record& a, const Record& b) const {
    if (a.segment < who_->order.first_segment() || b.segment < who_->order.first_segment()) return 0;
    const Segment &s = who_->order.segment(a.segment), &t = who_->order.segment(b.segment);
    return s.block != t.block ? 2 : s.warp != t.warp ? 1 : 0;
  }

  void read(ModelWord& word, Record me, uint64_t byte) {
    if (races(word.writer, me))
      found_.push_back({me.lane, byte, word.writer, true, read_by(word, word.writer, me.access)});
    Record &first = word.reader, &second = word.other_reader;
    if (says_more(first, me)) return;
    if (!recent(first) || same(first, me) || before(first, me)) {
      if (who_->kept && !recent(first) && first.segment >= who_->kept && second.segment < who_->kept) second = first;
      if (same(first, me) && first.atomic == me.atomic) me.bytes |= first.bytes;
      first = me;
    } else if (!recent(second) || same(second, me) || distance(first, me) > distance(first, second) ||
               before(second, me)) {
      second = me;
    }
  }
  void write(ModelWord& word, const Record& me, uint64_t byte) {
    if (races(word.writer, me)) {
      const bool has_read = same(word.reader, me) || same(word.other_reader, me);
      found_.push_back({me.lane, byte, word.writer, true, has_read && word.writer.access == me.access});
    }
    for (const Record& reader : {word.reader, word.other_reader})
      if (races(reader, me)) found_.push_back({me.lane, byte, reader, false, read_by(word, me, reader.access)});
    if (!says_more(word.writer, me)) word.writer = me;
  }

  const Accessor* who_ = nullptr;
  std::map<uint64_t, ModelWord> words_;
  std::vector<Conflict> found_;
};

bool alike(const Record& a, const Record& b) { return std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }

class RandomAccesses {
 public:
  // kinds: of accesses; few, so that the quick ways are often possible, or many. polls: most accesses read one of two
  // words, or both, as threads that wait.
  RandomAccesses(uint32_t seed, uint32_t kinds, bool plain_volatile, bool polls)
      : random_(seed), kinds_(kinds), plain_volatile_(plain_volatile), polls_(polls) {
    begin_launch();
  }

  void do_something() {
    block_ = draw(kRaceBlocks), warp_ = draw(kRaceWarps);
    BlockOrder& block = blocks_[block_];
    const uint32_t what = draw(polls_ ? 172 : 200);  // fewer barriers
    if (what < 130) return access();
    if (what < 150) return order_.fence(block, {warp_, some_lanes()}, Scope::kDevice);
    if (what < 165) return order_.join_lanes(block, {warp_, draw(2) ? kFullMask : some_lanes()}, kFullMask);
    if (what < 198) return order_.join_block(block);
    begin_launch();
  }
  uint32_t conflicts() const { return conflicts_; }
  uint32_t calm() const { return calm_; }

 private:
  uint32_t draw(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  Mask some_lanes() { return draw(3) ? kFullMask : static_cast<Mask>(random_()) | 1u << draw(kWarpSize); }

  void begin_launch() {
    kept_ = draw(3) ? 0 : order_.first_segment();
    order_.begin_launch(true);
    for (uint32_t b = 0; b < kRaceBlocks; ++b) order_.begin_block(blocks_[b], b, kRaceWarps);
  }

  MemoryAccess some_access() {
    constexpr MemoryOrder kOrders[] = {MemoryOrder::kWeak, MemoryOrder::kAcquireRelease, MemoryOrder::kRelaxed,
                                       MemoryOrder::kVolatile};
    constexpr uint8_t kBytes[] = {4, 4, 8, 1, 2};
    MemoryAccess access;
    access.order = kOrders[draw(kinds_)];
    access.op = draw(2) ? MemoryOp::kLoad : MemoryOp::kStore;
    if (access.order == MemoryOrder::kAcquireRelease || (access.order == MemoryOrder::kRelaxed && draw(2)))
      access.op = MemoryOp::kAtomic;
    access.scope = kinds_ > 2 && draw(3) == 0 ? Scope::kBlock : Scope::kDevice;
    access.bytes = kBytes[draw(kinds_ > 2 ? 5 : 2)];
    access.index = draw(4);
    return access;
  }

  void access() {
    MemoryAccess access = some_access();
    const bool polls = polls_ && draw(32);
    const Mask mask = polls && draw(2) ? 1u << draw(kWarpSize) : some_lanes();
    std::array<uint64_t, kWarpSize> bytes{};
    if (polls) access.op = MemoryOp::kLoad, access.bytes = draw(2) ? 4 : 8;
    const uint32_t pattern = polls ? 1 : draw(6), begin = (draw(3) ? 32 * block_ : draw(32)) + polls * draw(2);
    for (uint32_t l = 0; l < kWarpSize; ++l) {  // mostly a row, often the block's own
      const uint32_t word = pattern == 0 ? draw(kRaceWords) : pattern == 1 ? begin : begin + l;
      bytes[l] = 4 * uint64_t{word} + (access.bytes < 4 ? draw(4 / access.bytes) * access.bytes : 0);
      if (access.bytes == 8) bytes[l] &= ~uint64_t{7};
    }
    BlockOrder& block = blocks_[block_];
    const SegmentId segment = order_.stamp(block, warp_);
    if (access.order > MemoryOrder::kVolatile)
      for (const uint32_t l : each_lane(mask)) order_.strong(block, {warp_, 1u << l}, bytes[l], access);
    const Cells cells{words_[0].data(), words_[1].data(), words_[2].data(), kRaceWords};
    const Accessor who{order_, block, cells, warp_, segment, order_.first_segment(), kept_, plain_volatile_};
    const std::vector<Conflict> expected = model_.note(who, access, mask, bytes.data());
    std::vector<Conflict> conflicts;
    note_access(who, access, mask, bytes.data(), conflicts);
    ++(conflicts.empty() ? calm_ : conflicts_);
    ASSERT_EQ(conflicts.size(), expected.size());
    for (size_t i = 0; i < conflicts.size(); ++i) {
      EXPECT_EQ(conflicts[i].lane, expected[i].lane);
      EXPECT_EQ(conflicts[i].byte, expected[i].byte);
      EXPECT_TRUE(alike(conflicts[i].earlier, expected[i].earlier));
      EXPECT_EQ(conflicts[i].earlier_wrote, expected[i].earlier_wrote);
      EXPECT_EQ(conflicts[i].updates, expected[i].updates);
    }
    for (uint32_t w = 0; w < kRaceWords; ++w) {
      EXPECT_TRUE(alike(words_[0][w], model_.at(w).writer)) << "word " << w;
      EXPECT_TRUE(alike(words_[1][w], model_.at(w).reader)) << "word " << w;
      EXPECT_TRUE(alike(words_[2][w], model_.at(w).other_reader)) << "word " << w;
    }
  }

  std::mt19937 random_;
  const uint32_t kinds_;
  const bool plain_volatile_, polls_;
  Order order_;
  std::array<BlockOrder, kRaceBlocks> blocks_;
  std::array<std::array<Record, kRaceWords>, 3> words_{};
  ModelWords model_;
  SegmentId kept_ = 0;
  uint32_t block_ = 0, warp_ = 0, conflicts_ = 0, calm_ = 0;
};

TEST(RacesModel, RandomAccessesConflictAlike) {
  uint32_t conflicts = 0, calm = 0;
  for (uint32_t seed = 1; seed <= 72; ++seed) {
    RandomAccesses program(seed, 1 + seed % 4, seed % 2, seed % 3);
    for (int i = 0; i < 300; ++i) program.do_something();
    conflicts += program.conflicts(), calm += program.calm();
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
  EXPECT_GT(conflicts, 500u) << "both were right often";
  EXPECT_GT(calm, 500u);
}

}  // namespace
}  // namespace lockstep
