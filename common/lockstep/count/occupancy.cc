#include "count/occupancy.h"

#include <algorithm>

namespace lockstep {
namespace {

// A multiprocessor has four parts. Each holds a quarter of the registers, and gives a warp whole units of 256
// (cuda_occupancy.h).
constexpr uint32_t kParts = 4, kRegisterUnit = 256;

uint32_t round_up(uint32_t number, uint32_t unit) { return (number + unit - 1) / unit * unit; }

// Warps that a multiprocessor has registers for.
uint32_t warps_by_registers(const DeviceLimits& limits, uint32_t registers) {
  return limits.registers_per_sm / kParts / round_up(registers * limits.warp_size, kRegisterUnit) * kParts;
}

}  // namespace

uint32_t Occupancy::blocks() const { return std::min({by_blocks, by_warps, by_registers, by_shared}); }

Occupancy occupancy(const DeviceLimits& limits, uint32_t threads, uint64_t shared_bytes, uint32_t registers) {
  if (threads == 0 || threads > limits.max_threads_per_block || shared_bytes > limits.shared_per_block_optin) return {};
  constexpr uint64_t kSharedUnit = 128;  // bytes; a multiprocessor gives out whole units (cuda_occupancy.h)
  const uint64_t taken =
      (shared_bytes + limits.shared_reserved_per_block + kSharedUnit - 1) / kSharedUnit * kSharedUnit;
  const uint32_t warps = (threads + limits.warp_size - 1) / limits.warp_size;
  // A block must fit as if it took a warp of each part at a time.
  const uint32_t by_registers = registers == 0 ? limits.max_blocks_per_sm
                                : threads > most_threads(limits, registers)
                                    ? 0
                                    : warps_by_registers(limits, registers) / warps;
  return {limits.max_blocks_per_sm, limits.max_threads_per_sm / (warps * limits.warp_size), by_registers,
          static_cast<uint32_t>(limits.shared_per_sm / taken)};
}

uint32_t most_threads(const DeviceLimits& limits, uint32_t registers) {
  if (registers == 0) return limits.max_threads_per_block;
  return std::min(limits.max_threads_per_block, warps_by_registers(limits, registers) * limits.warp_size);
}

}  // namespace lockstep
