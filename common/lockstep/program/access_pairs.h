// access_pairs: two accesses of a Program → how they lie to each other in the code. For the texts of findings only.
// Left out: ways through other functions, and what a function that is called does.
#pragma once

#include <string>

#include "program/program.h"

namespace lockstep {

// Whether a thread can come from one access to the other without a barrier: within one turn of the loops around them
// (or without any loop), and from one turn to the next.
struct OpenWay {
  bool in_turn = false, to_next_turn = false;
};
// The pcs of the two accesses; they may be equal. among_lanes: __syncwarp() and shuffles are barriers, too.
OpenWay open_way(const Program& program, uint32_t from, uint32_t to, bool among_lanes);

// If the store writes what the load has read from the same address, changed or not: the atomic function that would do
// both in one step, such as "atomicAdd". Else empty.
std::string update_in_one_step(const Program& program, const MemoryAccess& load, const MemoryAccess& store);

// Whether the access goes to another element in each turn of a loop, at a place that follows from the thread's number
// and not from memory. So two threads may come to one element in two turns, as in a tree of additions.
bool moves_with_loop(const Program& program, const MemoryAccess& access);

// Whether the program has an atomic operation that can take a lock.
bool may_lock(const Program& program);

}  // namespace lockstep
