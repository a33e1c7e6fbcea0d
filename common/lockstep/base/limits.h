// limits: the largest sizes that the emulated card supports.
#pragma once

#include <cstdint>

#include "base/dim3.h"

namespace lockstep {

struct ComputeCapability {
  int major = 9, minor = 0;
  int number() const { return major * 10 + minor; }  // 90, as in sm_90
};

// Fixed properties of the emulated card. They are those of an NVIDIA H200, on which the counters' rules were measured.
struct DeviceLimits {
  uint32_t warp_size = 32, max_threads_per_block = 1024, max_threads_per_sm = 2048, max_blocks_per_sm = 32;
  uint32_t sm_count = 132, registers_per_sm = 65536;
  uint32_t shared_per_block = 48 << 10, shared_per_block_optin = 227 << 10, shared_per_sm = 228 << 10;
  uint32_t shared_reserved_per_block = 1 << 10, const_bytes = 64 << 10, l2_bytes = 60 << 20;
  Dim3 max_block{1024, 1024, 64}, max_grid{0x7fffffff, 65535, 65535};
  ComputeCapability compute{};
};

}  // namespace lockstep
