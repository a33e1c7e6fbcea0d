// address_space: which addresses a program can meet, and where each kind of memory begins.
#pragma once

#include <cstdint>

namespace lockstep {

// The windows of the generic address space. No address of a process can lie there.
inline constexpr uint64_t kSharedWindow = 0x7100'0000'0000'0000;
inline constexpr uint64_t kLocalWindow = 0x7200'0000'0000'0000;
inline constexpr uint64_t kFunctionWindow = 0x7300'0000'0000'0000;  // "addresses" of device functions
inline constexpr uint64_t kWindowBytes = uint64_t{1} << 32;
inline constexpr uint64_t kParamBytes = 32 << 10;  // of a kernel: PTX allows 32,764; rounded up
inline constexpr uint32_t kSharedBase = 1024;      // the system owns the first KiB of shared memory since sm_80

}  // namespace lockstep
