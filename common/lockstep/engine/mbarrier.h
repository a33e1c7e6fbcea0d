// mbarrier: barrier objects in shared memory. An object is a 64-bit word in lockstep's own form: arrivals that this
// phase and each later phase await, bytes in flight, and the parity of the phase. mbarrier_run has the instructions.
#pragma once

#include <cstdint>

#include "base/words.h"
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
  const char* await_one_more();  // in this phase: cp.async.mbarrier.arrive without .noinc

 private:
  void end_phase_if_complete();
};

// Gives the addresses of the lanes' objects, within shared memory. False: the launch has failed.
bool find_mbarriers(Warp& warp, const MemoryAccess& access, Mask mask, uint64_t* out);

// What a copy does to its mbarrier for the lane that started it: it arrives, or its bytes have come. False: the launch
// has failed.
bool arrive_at(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);
bool bytes_came(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, uint32_t bytes);

// The launch fails at the lane's access.
void fail_mbarrier(Warp& warp, const MemoryAccess& access, uint32_t lane, const char* what, const char* next);

// The object at this address within shared memory.
uint64_t& mbarrier_word(Warp& warp, uint64_t address);
// Null if the lane's object is not initialised: the launch has failed.
uint64_t* initialised_word(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address);

// Applies `change` to the lane's object. `change` gives an error's form, or null. False: the launch has failed.
template <class Change>
bool update_mbarrier(Warp& warp, const MemoryAccess& access, uint32_t lane, uint64_t address, const Change& change) {
  uint64_t* word = initialised_word(warp, access, lane, address);
  if (!word) return false;
  Mbarrier barrier = Mbarrier::read(*word);
  if (const char* wrong = change(barrier)) {
    fail_mbarrier(warp, access, lane, wrong,
                  later("compare the count that init() got with the number of threads that arrive in one phase."));
    return false;
  }
  *word = barrier.word();
  return true;
}

}  // namespace lockstep
