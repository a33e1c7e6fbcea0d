// order_model_test: random programs of accesses, fences, releases, acquires and barriers, in order.h and in a plain
// model of the same rules. The model has one table for each thread, and joins tables at once.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <random>
#include <vector>

#include "check/order.h"

namespace lockstep {
namespace {

constexpr uint32_t kModelBlocks = 3, kModelWarps = 2, kInBlock = kModelWarps * kWarpSize;
constexpr uint32_t kModelThreads = kModelBlocks * kInBlock;

// For each thread, the step before which its accesses are known.
struct Steps : std::array<uint32_t, kModelThreads> {
  Steps() { fill(0); }
  void learn(const Steps& other) {
    for (size_t i = 0; i < size(); ++i) (*this)[i] = std::max((*this)[i], other[i]);
  }
};

struct ModelTold {
  Steps of_block, of_all;
  void learn(const ModelTold& other) { of_block.learn(other.of_block), of_all.learn(other.of_all); }
};

struct ModelThread {
  Steps clock, snapshot;
  ModelTold pending;
  bool fenced = false;
  Scope scope = Scope::kDevice;
};

class Model {
 public:
  uint32_t step = 1;

  bool knows(uint32_t thread, uint32_t other, uint32_t then) const {
    return thread == other || threads_[thread].clock[other] > then;
  }

  void join(const std::vector<uint32_t>& members) {
    ModelThread all;
    for (const uint32_t m : members) all.clock.learn(passed_on(m)), all.pending.learn(threads_[m].pending);
    for (const uint32_t m : members) threads_[m].clock = all.clock, threads_[m].pending = all.pending;
  }
  // A barrier of some threads passes on what they know, and not what they have read.
  void join_some(const std::vector<uint32_t>& members) {
    Steps all;
    for (const uint32_t m : members) all.learn(passed_on(m));
    for (const uint32_t m : members) threads_[m].clock.learn(all);
  }
  void fence(uint32_t thread, Scope scope) {
    ModelThread& t = threads_[thread];
    t.clock.learn(std::exchange(t.pending.of_block, {}));
    if (scope == Scope::kDevice) t.clock.learn(std::exchange(t.pending.of_all, {}));
    t.fenced = true, t.scope = scope, t.snapshot = passed_on(thread);
  }
  void strong(uint32_t thread, uint64_t address, const MemoryAccess& access, bool failed) {
    ModelThread& t = threads_[thread];
    const uint32_t block = thread / kInBlock;
    const bool shared = address >= kSharedWindow;
    Place& place = places_[{shared ? block : kModelBlocks, address}];
    const bool acquires = access.order == MemoryOrder::kAcquire || access.order == MemoryOrder::kAcquireRelease;
    const bool releases = access.order == MemoryOrder::kRelease || access.order == MemoryOrder::kAcquireRelease;
    if (access.op != MemoryOp::kStore) {
      ModelTold told;
      if (place.block == block) told.of_block = place.to_block;
      if (access.scope == Scope::kDevice) told.of_all = place.to_all;
      if (acquires)
        t.clock.learn(told.of_block), t.clock.learn(told.of_all);
      else
        t.pending.learn(told);
    }
    if (access.op == MemoryOp::kLoad || failed) return;
    if (access.op == MemoryOp::kStore) place = {};
    if (!releases && !t.fenced) return;
    const Scope scope = releases || t.scope == Scope::kDevice ? access.scope : t.scope;
    const Steps passed = releases ? passed_on(thread) : t.snapshot;
    if (place.block != block) place.to_block = {}, place.block = block;
    place.to_block.learn(passed);
    if (!shared && scope == Scope::kDevice) place.to_all.learn(passed);
  }

 private:
  struct Place {
    Steps to_block, to_all;
    uint32_t block = kModelBlocks;
  };
  Steps passed_on(uint32_t thread) const {
    Steps steps = threads_[thread].clock;
    steps[thread] = step;
    return steps;
  }

  std::array<ModelThread, kModelThreads> threads_;
  std::map<std::pair<uint32_t, uint64_t>, Place> places_;
};

class RandomProgram {
 public:
  // What memory forgets, nobody asks about any more.
  enum Memory { kUnknown, kForgetsSome, kKeepsTheLatest };

  RandomProgram(uint32_t seed, uint32_t addresses, bool block_scopes, Memory memory)
      : random_(seed),
        addresses_(addresses),
        block_scopes_(block_scopes),
        memory_(memory),
        order_(memory ? [this](Remembered& remembered) { return remember(remembered); }
                      : std::function<bool(Remembered&)>(),
               200) {
    order_.begin_launch(block_scopes);
    for (uint32_t b = 0; b < kModelBlocks; ++b) order_.begin_block(blocks_[b], b, kModelWarps);
  }

  void do_something() {
    block_ = draw(kModelBlocks), warp_ = draw(kModelWarps);
    const uint32_t what = draw(100);
    if (what < 30) return touch(some_lanes());
    if (what < 70) return strong(some_lanes());
    if (what < 88) return fence(some_lanes());
    if (what < 94) return join_lanes(draw(2) ? kFullMask : some_lanes());
    if (what < 98) return join_some();
    order_.join_block(blocks_[block_]);
    std::vector<uint32_t> all(kInBlock);
    for (uint32_t i = 0; i < kInBlock; ++i) all[i] = block_ * kInBlock + i;
    model_.join(all);
  }

  // Asks about an access, usually one of the last.
  void ask() {
    if (touches_.empty()) return;
    const size_t back = draw(4) ? draw(16) : draw(2000);
    const Touch then = asked_ = touches_[touches_.size() - 1 - std::min(back, touches_.size() - 1)];
    const uint32_t b = draw(kModelBlocks), w = draw(kModelWarps), l = draw(kWarpSize);
    const bool known = model_.knows(thread(b, w, l), then.thread, then.step);
    EXPECT_EQ(order_.before(then.segment, then.thread % kWarpSize, blocks_[b], w, l), known);
    ++(known ? known_ : unknown_);
    asked_ = {};
  }
  bool remember(Remembered& remembered) {
    if (asked_.segment) remembered.add(asked_.segment, asked_.thread % kWarpSize);
    constexpr size_t kLatest = 40;
    if (memory_ == kForgetsSome)
      std::erase_if(touches_, [&](const Touch&) { return draw(4) == 0; });
    else if (touches_.size() > kLatest)
      touches_.erase(touches_.begin(), touches_.end() - kLatest);
    for (const Touch& touch : touches_) remembered.add(touch.segment, touch.thread % kWarpSize);
    ++remembered_;
    return true;
  }
  uint32_t remembered() const { return remembered_; }
  uint32_t known() const { return known_; }
  uint32_t unknown() const { return unknown_; }

 private:
  struct Touch {
    SegmentId segment;
    uint32_t thread, step;
  };

  uint32_t draw(uint32_t n) { return static_cast<uint32_t>(random_() % n); }
  Mask some_lanes() {
    const uint32_t kind = draw(4);
    if (kind == 0) return kFullMask;
    return kind == 1 ? static_cast<Mask>(random_()) | 1u : 1u << draw(kWarpSize);
  }
  Scope some_scope() { return block_scopes_ && draw(4) == 0 ? Scope::kBlock : Scope::kDevice; }
  static uint32_t thread(uint32_t block, uint32_t warp, uint32_t lane) {
    return block * kInBlock + warp * kWarpSize + lane;
  }
  uint32_t thread(uint32_t lane) const { return thread(block_, warp_, lane); }

  void touch(Mask mask) {
    const SegmentId segment = order_.stamp(blocks_[block_], warp_);
    for (const uint32_t l : each_lane(mask)) touches_.push_back({segment, thread(l), model_.step});
    ++model_.step;
  }
  void strong(Mask mask) {
    constexpr MemoryOrder kOrders[] = {MemoryOrder::kRelaxed, MemoryOrder::kAcquire, MemoryOrder::kRelease,
                                       MemoryOrder::kAcquireRelease};
    MemoryAccess access;
    access.op = draw(3) ? MemoryOp::kAtomic : draw(2) ? MemoryOp::kLoad : MemoryOp::kStore;
    access.order = kOrders[draw(4)];
    if (access.op == MemoryOp::kLoad) access.order = kOrders[draw(2)];
    if (access.op == MemoryOp::kStore) access.order = draw(2) ? MemoryOrder::kRelaxed : MemoryOrder::kRelease;
    access.scope = some_scope();
    const Mask failed = access.op == MemoryOp::kAtomic && draw(3) == 0 ? mask & static_cast<Mask>(random_()) : 0;
    touch(mask);
    for (Mask rest = mask; rest;) {  // some addresses, with some of the lanes each
      const Mask group = draw(2) ? rest : rest & -rest;
      const uint64_t address = (draw(3) ? 0 : kSharedWindow) + 4 * draw(addresses_);
      order_.strong(blocks_[block_], {warp_, group}, address, access, failed & group);
      for (const uint32_t l : each_lane(group)) model_.strong(thread(l), address, access, failed >> l & 1);
      rest &= ~group;
    }
  }
  void fence(Mask mask) {
    const Scope scope = some_scope();
    order_.fence(blocks_[block_], {warp_, mask}, scope);
    for (const uint32_t l : each_lane(mask)) model_.fence(thread(l), scope);
  }
  void join_lanes(Mask mask) {
    order_.join_lanes(blocks_[block_], {warp_, mask}, kFullMask);
    model_.join(threads_of(warp_, mask));
  }
  void join_some() {
    const Lanes some[] = {{0, some_lanes()}, {1, some_lanes()}};
    order_.join_some(blocks_[block_], 1, {some[0], some[1]});
    std::vector<uint32_t> members = threads_of(0, some[0].mask);
    for (const uint32_t member : threads_of(1, some[1].mask)) members.push_back(member);
    model_.join_some(members);
  }
  std::vector<uint32_t> threads_of(uint32_t warp, Mask mask) const {
    std::vector<uint32_t> members;
    for (const uint32_t l : each_lane(mask)) members.push_back(thread(block_, warp, l));
    return members;
  }

  std::mt19937 random_;
  const uint32_t addresses_;
  const bool block_scopes_;
  const Memory memory_;
  Order order_;
  Model model_;
  std::array<BlockOrder, kModelBlocks> blocks_;
  std::vector<Touch> touches_;
  Touch asked_{};
  uint32_t block_ = 0, warp_ = 0, known_ = 0, unknown_ = 0, remembered_ = 0;
};

// Few addresses, where much is passed on, and many. Few questions, so that clocks wait long, and many.
TEST(OrderModel, RandomProgramsAreOrderedAlike) {
  uint32_t seed = 0, known = 0, unknown = 0, remembered = 0;
  for (const uint32_t addresses : {1u, 8u, 200u})
    for (const uint32_t questions : {1u, 20u, 400u})
      for (const bool block_scopes : {false, true}) {
        ++seed;
        RandomProgram program(seed, addresses, block_scopes, static_cast<RandomProgram::Memory>(seed % 3));
        for (int i = 0; i < 700; ++i) {
          program.do_something();
          if (i % 100 < 5)
            for (uint32_t q = 0; q < questions; ++q) program.ask();
        }
        known += program.known(), unknown += program.unknown(), remembered += program.remembered();
        ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
      }
  EXPECT_GT(known, 5000u) << "both answers were right often";
  EXPECT_GT(unknown, 5000u);
  EXPECT_GT(remembered, 100u) << "often, clocks learned only what memory remembers";
}

}  // namespace
}  // namespace lockstep
