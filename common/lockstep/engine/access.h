// access: a decoded ld, st, atom or red → the function that carries it out for the lanes of a warp.
#pragma once

#include <array>

#include "base/lanes.h"
#include "program/program.h"

namespace lockstep {

// Null if the combination of type, width and operation is not supported. Programs are decoded with it (Symbols).
AccessHandler access_handler(const MemoryAccess& access);

// Every lane's address. Lanes that are not active repeat the first active one, so that loops need no mask.
void read_addresses(const Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out);

// One access of some lanes to global memory that is neither ld nor st: tells the observers and the model of caches.
// Gives the lanes that may make it; the launch fails because of the others, or continues without them.
Mask reach_global(Warp& warp, const MemoryAccess& access, Mask mask, std::array<uint64_t, kWarpSize>& at);

// Counts the access of some lanes that no handler makes, as if it were ld or st of global or of shared memory. `at`:
// addresses of the access' space. by_rows: ldmatrix, which loads each matrix by itself, whatever the addresses.
void count_access(Warp& warp, const MemoryAccess& access, Mask mask, const std::array<uint64_t, kWarpSize>& at,
                  bool by_rows);

// Tells the observers that an asynchronous copy, a matrix or an mbarrier accesses memory, and notes what is written of
// shared memory. `at`: addresses of global memory, or addresses within shared memory, which a generic access means
// here.
void show_asynchronous(Warp& warp, const MemoryAccess& access, Mask mask, const uint64_t* at);
void show_asynchronous_lane(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t at);

// Whether the lane may access this address (as in range_at). If not, the launch fails, or continues without this
// lane's access.
bool may_access(Warp& warp, const MemoryAccess& access, Space space, uint32_t lane, uint64_t address);
void fail_misaligned(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
void fail_outside(Warp& warp, const MemoryAccess& access, Space space, uint32_t lane, uint64_t address);

}  // namespace lockstep
