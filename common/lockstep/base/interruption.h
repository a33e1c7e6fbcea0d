// interruption: somebody wants the program to end: a signal came, or the program that a device serves is gone. Launches
// on all threads notice it at the end of a turn, and end.
#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep {

inline std::atomic<bool> g_interrupted = false;  // a signal handler may set it
static_assert(std::atomic<bool>::is_always_lock_free);

inline std::atomic<uint32_t> g_watchers = 0;  // threads of lockstep in this process that only wait for such a thing

inline bool interruption() { return g_interrupted.load(std::memory_order_relaxed); }

}  // namespace lockstep
