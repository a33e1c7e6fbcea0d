// access: a decoded ld, st, atom or red → the function that carries it out for the lanes of a warp.
#pragma once

#include "program/program.h"

namespace lockstep {

// Null if the combination of type, width and operation is not supported.
AccessHandler select_access(const MemoryAccess& access);

const char* verb(const MemoryAccess& access);  // "read", "write" or "atomic"

// For instructions of other kinds that touch memory: every lane's address, idle lanes repeating the first active
// one's; for the checker, that the access happens (generic here means shared); and what is said when an access of
// access.bytes there (in shared memory: an address in it) is wrong.
void lane_addresses(const Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out);
void watch(Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* at);
void watch_lane(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t at);
void fail_misaligned(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
void fail_global(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
void fail_shared(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
void fail_local(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t offset);

}  // namespace lockstep
