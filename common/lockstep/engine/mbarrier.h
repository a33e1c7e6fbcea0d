// mbarrier: barrier objects in shared memory. One is a 64-bit word whose form is ours: what it counts in this phase and
// how many it awaits in each, bytes still under way, and the phase's parity. Copies that it tracks are async_copy's.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace lockstep {

struct Mbarrier {
  static constexpr uint32_t kMost = (1u << 20) - 1;  // arrivals, and bytes in flight

  uint32_t pending = 0, expected = 0;  // arrivals: still to come in this phase; in each later one
  int32_t bytes = 0;                   // announced and not arrived; below zero: arrived and not announced yet
  bool odd = false;                    // parity of the phase that is under way

  static bool is_one(uint64_t word);  // not so before init, and after inval
  static Mbarrier read(uint64_t word);
  uint64_t word() const;

  // Each returns what is wrong, or null; the phase ends with the last arrival and the last byte.
  const char* arrive(uint32_t count);
  const char* drop(uint32_t count);  // arrives, and is awaited no more in later phases
  const char* expect(int64_t more_bytes);

 private:
  void end_phase_if_complete();
};

// One mbarrier instruction for the lanes of mask, one lane after the other. False: some lane waits for a phase that is
// not over, and others should run first.
bool run_mbarrier(Warp& warp, const MbarrierUse& use, Mask mask);

// Where the lanes' objects lie, as addresses within shared memory; false: the launch has failed.
bool find_mbarriers(Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out);

// What a copy does to its mbarrier, on behalf of the lane that started it: an arrival, or bytes that have come. False:
// the launch has failed.
bool arrive_at(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
bool bytes_came(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes);
// cp.async.mbarrier.arrive without .noinc: one arrival more is awaited in this phase.
bool await_one_more(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);

}  // namespace lockstep
