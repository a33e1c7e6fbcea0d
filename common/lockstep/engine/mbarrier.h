// mbarrier: barrier objects in shared memory. An object is a 64-bit word in lockstep's own form: arrivals that this
// phase and each later phase await, bytes in flight, and the parity of the phase. async_copy has the copies that it
// tracks.
#pragma once

#include <cstdint>

#include "program/program.h"

namespace lockstep {

struct Mbarrier {
  static constexpr uint32_t kMost = (1u << 20) - 1;  // arrivals, and bytes in flight

  uint32_t pending = 0, expected = 0;  // arrivals: still to come in this phase; in each later one
  int32_t bytes = 0;                   // announced and not arrived; below zero: arrived and not yet announced
  bool odd = false;                    // parity of the current phase

  static bool is_one(uint64_t word);  // false before init and after inval
  static Mbarrier read(uint64_t word);
  uint64_t word() const;

  // Each gives an error text, or null. The phase ends with its last arrival and its last byte.
  const char* arrive(uint32_t count);
  const char* drop(uint32_t count);  // arrives, and later phases await so many fewer
  const char* expect(int64_t more_bytes);

 private:
  void end_phase_if_complete();
};

// Runs one mbarrier instruction for the lanes of `mask`, one lane after the other. False: a lane waits for a phase that
// is not over, and other threads should run first.
bool run_mbarrier(Warp& warp, const MbarrierUse& use, Mask mask);

// Gives the addresses of the lanes' objects, within shared memory. False: the launch has failed.
bool find_mbarriers(Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out);

// What a copy does to its mbarrier for the lane that started it: it arrives, or its bytes have come. False: the launch
// has failed.
bool arrive_at(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
bool bytes_came(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes);
// cp.async.mbarrier.arrive without .noinc: this phase awaits one more arrival.
bool await_one_more(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);

}  // namespace lockstep
