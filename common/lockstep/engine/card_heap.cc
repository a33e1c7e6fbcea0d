#include "engine/card_heap.h"

#include <algorithm>

#include "base/align.h"

namespace lockstep {
namespace {

constexpr uint64_t kUnit = 512, kBlock = 2 << 20, kLargestInBlock = 1 << 20;  // bytes

}  // namespace

uint64_t CardHeap::allocate(uint64_t bytes) {
  const uint64_t size = align_up(bytes, kUnit);
  if (size > kLargestInBlock) {
    const uint64_t address = next_block_;
    next_block_ += align_up(size, kBlock);
    return address;
  }
  const auto fits = [size](const auto& gap) { return gap.second >= size; };
  auto gap = std::find_if(gaps_.begin(), gaps_.end(), fits);
  if (gap == gaps_.end()) {
    gap = gaps_.emplace(next_block_, kBlock).first;
    next_block_ += kBlock;
  }
  const auto [address, room] = *gap;
  gaps_.erase(gap);
  if (room > size) gaps_[address + size] = room - size;
  used_[address] = size;
  return address;
}

void CardHeap::free(uint64_t address) {
  const auto found = used_.find(address);
  if (found == used_.end()) return;  // a large allocation
  add_gap(address, found->second);
  used_.erase(found);
}

void CardHeap::add_gap(uint64_t address, uint64_t bytes) {
  const auto after = gaps_.find(address + bytes);
  if (after != gaps_.end() && (address + bytes) % kBlock != 0) {
    bytes += after->second;
    gaps_.erase(after);
  }
  const auto next = gaps_.lower_bound(address);
  if (next != gaps_.begin() && address % kBlock != 0)
    if (const auto before = std::prev(next); before->first + before->second == address) {
      before->second += bytes;
      return;
    }
  gaps_[address] = bytes;
}

}  // namespace lockstep
