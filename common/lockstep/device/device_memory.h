// device_memory: device memory as requests reach it: allocations, and regions that are copied or filled. The checker,
// if there is one, follows every change. Knows neither modules nor launches.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/options.h"
#include "base/status.h"
#include "check/checker.h"
#include "device/requests.h"
#include "engine/memory.h"
#include "engine/observer.h"

namespace lockstep {

class DeviceMemory {
 public:
  explicit DeviceMemory(const DeviceOptions& options)
      : memory_(options),
        checker_(options.checks.watch() ? std::make_unique<Checker>(options.checks, memory_) : nullptr) {
    if (checker_) observers_.push_back(checker_.get());
  }

  Memory& memory() { return memory_; }
  const Memory& memory() const { return memory_; }
  const Observers& observers() const { return observers_; }  // the checker, or none

  Outcome allocate(uint64_t bytes, uint64_t* address, MemoryKind kind, uint64_t offset);
  uint64_t allocate_variable(uint64_t bytes, bool managed);  // for a module's variable, all zeros; 0: no memory
  uint64_t allocate_apart(uint64_t bytes);                   // for the device's own use; throws std::bad_alloc
  void release(uint64_t address);
  Outcome reserve(uint64_t bytes, uint64_t* address);
  Outcome allocate_reserved(uint64_t address);

  // kInvalidValue unless each region lies within one allocation. Pitches in bytes.
  Outcome copy_in(const Region& to, const void* from, uint64_t from_pitch);
  Outcome copy_out(void* to, uint64_t to_pitch, const Region& from) const;
  Outcome copy_within(const Region& to, uint64_t from, uint64_t from_pitch);
  Outcome fill(const Region& to, uint8_t value);
  // Copies of the judge's, which belong to no work of the program: they cannot race with its streams.
  Outcome place(const Region& to, const void* from, uint64_t from_pitch);
  Outcome take(void* to, uint64_t to_pitch, const Region& from) const;

  // Does nothing to the memory: the present work of its stream uses it, as cudaFreeAsync does. kInvalidValue as above.
  Outcome use(const Region& region, bool writes) const;
  Checker* checker() const { return checker_.get(); }  // null if nothing is checked

 private:
  bool holds(const Region& region) const;
  void wrote(const Region& region);

  Memory memory_;
  std::unique_ptr<Checker> checker_;  // null if nothing is checked
  Observers observers_;
};

}  // namespace lockstep
