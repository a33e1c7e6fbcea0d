// turns: how the threads of a launch share this thread of the host, beyond one turn of one warp. In: the warps' looks
// at memory and their changes of it. Out: how long a turn is, and which warps may sleep.
//
// docs/lockstep.md ("Fairness") says what this promises, and why it holds.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>

namespace lockstep {

// A turn of a warp ends after this many instructions at most. A read that may wait for other threads counts as
// kSuspicion instructions: a path that repeats such a read probably waits, and after about 60 rounds other warps should
// run.
inline constexpr int32_t kTurn = 1 << 16;
inline constexpr int32_t kSuspicion = 1 << 10;

// How often each word of memory was changed. Words share counts: a warp that sleeps may wake for nothing.
class Changes {
 public:
  using Slot = uint16_t;
  static Slot slot(uint64_t word) { return static_cast<Slot>(word * 0x9e3779b97f4a7c15u >> 52); }
  void note(uint64_t word) { ++counts_[slot(word)]; }
  uint64_t of(Slot slot) const { return counts_[slot]; }

 private:
  std::array<uint64_t, 1 << 12> counts_{};
};

// The words that one warp looked at in its last turn. If the warp did nothing else, its next turn would be the same
// until another warp changes one of the words: it sleeps.
class Sleep {
 public:
  void begin_turn() { count_ = 0, idle_ = true, asleep_ = false; }
  void look(Changes::Slot slot) {
    if (!idle_ || (count_ && slots_[count_ - 1] == slot)) return;
    if (std::find(slots_.begin(), slots_.begin() + count_, slot) != slots_.begin() + count_) return;
    if (count_ == slots_.size()) return act();
    slots_[count_++] = slot;
  }
  void act() { idle_ = false; }  // it changed memory, or another turn may be different without a change
  void wake() { asleep_ = false; }
  bool idle() const { return idle_; }
  void end_turn(const Changes& changes) {
    asleep_ = idle_;
    seen_ = sum(changes);
  }
  bool asleep(const Changes& changes) const { return asleep_ && sum(changes) == seen_; }

 private:
  uint64_t sum(const Changes& changes) const {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count_; ++i) sum += changes.of(slots_[i]);
    return sum;
  }

  std::array<Changes::Slot, 48> slots_{};
  uint32_t count_ = 0;
  bool idle_ = false, asleep_ = false;
  uint64_t seen_ = 0;
};

// Of one launch, on one thread of the host.
struct Turns {
  bool shared = false;  // a block has waited for others, or run for long: now turns end anywhere, also between barriers
  bool quiet = false;   // nothing has changed for many rounds: all turns have one length, so that states come again
  bool wake_all = false;               // in this round
  uint64_t taken = 0;                  // turns that warps have used up
  uint64_t suspicious = 0;             // of them, those that looked as if the warp waited for other threads
  std::unique_ptr<Changes> changes{};  // of memory; null: not yet recorded, nobody sleeps
};

}  // namespace lockstep
