#include "engine/card_heap.h"

#include <algorithm>
#include <utility>

#include "base/align.h"

namespace lockstep {

void Holes::add(uint64_t begin, uint64_t bytes) {
  const auto adjoin = [&](const auto& left, const auto& right) {
    return left->first + left->second == right->first && right->first % block_ != 0;
  };
  const auto hole = holes_.emplace(begin, bytes).first;
  if (const auto after = std::next(hole); after != holes_.end() && adjoin(hole, after)) {
    hole->second += after->second;
    holes_.erase(after);
  }
  if (hole == holes_.begin()) return;
  if (const auto before = std::prev(hole); adjoin(before, hole)) {
    before->second += hole->second;
    holes_.erase(hole);
  }
}

uint64_t Holes::take(uint64_t bytes) {
  const auto hole = std::ranges::find_if(holes_, [&](const auto& entry) { return entry.second >= bytes; });
  if (hole == holes_.end()) return 0;
  const auto [begin, room] = *hole;
  holes_.erase(hole);
  if (room > bytes) holes_[begin + bytes] = room - bytes;
  return begin;
}

uint64_t CardHeap::allocate(uint64_t bytes) {
  constexpr uint64_t kUnit = 512;  // bytes
  const uint64_t size = align_up(bytes, kUnit);
  if (size > kLargestInCardBlock) return std::exchange(next_block_, next_block_ + align_up(size, kCardBlock));
  uint64_t address = holes_.take(size);
  if (address == 0) {
    holes_.add(std::exchange(next_block_, next_block_ + kCardBlock), kCardBlock);
    address = holes_.take(size);
  }
  used_[address] = size;
  return address;
}

void CardHeap::free(uint64_t address) {
  const auto found = used_.find(address);
  if (found == used_.end()) return;  // a large allocation
  holes_.add(address, found->second);
  used_.erase(found);
}

}  // namespace lockstep
