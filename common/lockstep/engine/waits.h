// waits: how often the warps of a block wait for each other, one wait after the other, whatever form a wait has. In:
// strong accesses and arrivals, as they happen. Out: the chain that a warp takes over.
//
// Each warp has a chain: the number of waits that must end, one after the other, before it comes to where it is. A
// barrier of any kind sets the chains of all warps that pass it to the longest of them, and one more. A barrier that a
// program makes by itself, of flags or counters in memory, works through strong accesses (volatile, relaxed, acquire,
// release, atomics) or through an mbarrier. A warp that looks at what another warp of its block wrote there continues
// that warp's chain, with one wait more.
//
// A warp may find several writes at once, and only the program knows for which of them it has waited. The first write
// since the warp's last look is what it surely has waited for: a fast warp may already have arrived for the next time.
//
// Other accesses need no chain of their own. If no barrier and no strong access orders them, they are a race.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <unordered_map>

#include "base/lanes.h"

namespace lockstep {

// What the warps of one block have handed over through memory. Words of 4 bytes, by number.
class HandOvers {
 public:
  // Before the next block. It often uses the same words of shared memory, so their memory stays.
  void clear() {
    constexpr size_t kMostKept = 1 << 10;  // some 300 KB
    if (words_.size() > kMostKept) words_.clear();
    ++block_;
    decides_ = false;
  }

  // A warp with this chain writes the word.
  void write(uint64_t word, uint32_t warp, uint64_t waits) {
    Word& written = words_[word];
    if (written.block != block_) written.unseen = 0, written.block = block_;
    for (const uint32_t other : each_lane(~written.unseen & ~(1u << warp))) written.first[other] = waits;
    written.unseen |= ~(1u << warp);
  }

  // A warp looks at the word. The chain of the first write by another warp since it looked last; none without a write.
  std::optional<uint64_t> look(uint64_t word, uint32_t warp) {
    const auto found = words_.find(word);
    if (found == words_.end() || found->second.block != block_ || !(found->second.unseen >> warp & 1))
      return std::nullopt;
    found->second.unseen &= ~(1u << warp);
    return found->second.first[warp];
  }

  // A warp has found another chain than its own, so the order of the warps decides about the waits.
  void note_order() { decides_ = true; }
  bool order_decides() const { return decides_; }

 private:
  // A bit and a number for each warp. A block has at most as many warps as a warp has lanes.
  struct Word {
    uint64_t block = 0;  // that wrote it last; earlier blocks' writes count no more
    uint32_t unseen = 0;
    std::array<uint64_t, kWarpSize> first{};
  };
  std::unordered_map<uint64_t, Word> words_;
  uint64_t block_ = 1;
  bool decides_ = false;
};

}  // namespace lockstep
