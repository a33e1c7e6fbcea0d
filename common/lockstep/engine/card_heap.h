// card_heap: the addresses that a card's driver would give to allocations of cudaMalloc. Only counters use them: the
// sectors of a scattered atomic depend on address bits, and lockstep's own allocations lie farther apart.
// The rules follow from counters on an H200: allocations up to 1 MiB lie one after the other in blocks of 2 MiB, in
// units of 512 bytes; each larger allocation has blocks of its own. That the lowest gap is used first is a guess.
#pragma once

#include <cstdint>
#include <map>

namespace lockstep {

class CardHeap {
 public:
  uint64_t allocate(uint64_t bytes);
  void free(uint64_t address);

 private:
  void add_gap(uint64_t address, uint64_t bytes);

  uint64_t next_block_ = uint64_t{1} << 32;
  std::map<uint64_t, uint64_t> used_, gaps_;  // start → bytes, inside blocks of 2 MiB
};

}  // namespace lockstep
