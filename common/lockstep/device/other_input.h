// other_input: for a function whose arrays are the host's memory, and whose work is the kernels'. The judge gives the
// program one input, and the device another. Wherever the program hands a part of its input to the device, the kernels
// see the same part of the other. So the answer is right for the other input if kernels have computed it, and for the
// program's if the host has.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>

namespace lockstep {

class OtherInput {
 public:
  // Both have the same size, a multiple of 4, and must outlive this object.
  OtherInput(std::span<const std::byte> given, std::span<const std::byte> other);

  // Replaces the parts of `data` that are parts of the given input. They begin at multiples of 4 bytes and have at
  // least kBlock bytes, or continue a part that ended in front of `address`. address: where the data is going to lie.
  void replace(std::span<std::byte> data, uint64_t address);

  static constexpr size_t kBlock = 64;  // bytes; long enough that no other data looks like it by chance

 private:
  size_t find(const std::byte* block, uint64_t hash) const;
  size_t take(std::span<std::byte> data, size_t at, size_t offset);

  std::span<const std::byte> given_, other_;
  std::unordered_multimap<uint64_t, size_t> blocks_;  // by hash: where the blocks of the given input begin
  uint64_t next_address_ = 0;                         // where the last part ended, and its end in the input
  size_t next_offset_ = 0;
};

}  // namespace lockstep
