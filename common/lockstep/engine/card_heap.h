// card_heap: where a card's driver would put what cudaMalloc asks for. Only counters look at it: how many sectors a
// scattered atomic takes depends on address bits that lockstep's own allocations, which keep apart, do not share.
// As seen on an H200 by what it counts: up to 1 MiB in blocks of 2 MiB, one after the other in units of 512 bytes;
// larger ones by themselves. That the lowest gap is used again is a guess.
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
