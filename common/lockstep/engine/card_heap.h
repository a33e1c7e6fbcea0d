// card_heap: the addresses that a card's driver would give to allocations of cudaMalloc. Only counters use them: the
// sectors of a scattered atomic depend on address bits, and lockstep's own allocations lie farther apart.
// The rules follow from counters on an H200: allocations up to 1 MiB lie one after the other in blocks of 2 MiB, in
// units of 512 bytes; each larger allocation has blocks of its own. That the lowest gap is used first is a guess.
#pragma once

#include <cstdint>
#include <map>

namespace lockstep {

inline constexpr uint64_t kCardBlock = 2 << 20, kLargestInCardBlock = 1 << 20;  // bytes

// Addresses that were used and freed. Neighbours become one hole, except across multiples of `block`.
class Holes {
 public:
  explicit Holes(uint64_t block = ~uint64_t{0}) : block_(block) {}
  void add(uint64_t begin, uint64_t bytes);
  uint64_t take(uint64_t bytes);  // from the lowest hole that is large enough; 0 if there is none

 private:
  uint64_t block_;
  std::map<uint64_t, uint64_t> holes_;  // start → bytes
};

class CardHeap {
 public:
  uint64_t allocate(uint64_t bytes);
  void free(uint64_t address);

 private:
  uint64_t next_block_ = uint64_t{1} << 32;
  std::map<uint64_t, uint64_t> used_;  // start → bytes, inside blocks
  Holes holes_{kCardBlock};
};

}  // namespace lockstep
