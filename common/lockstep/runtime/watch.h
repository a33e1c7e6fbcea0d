// watch: what the checks of races know of the program's streams and of its host. In: the calls of the entry points.
// Out: the place of each piece of work in the order of the streams, for the device; pages that are closed to the host;
// touches of them, for the device. Does nothing unless the device checks races.
#pragma once

#include <vector>

#include "runtime/api.h"

namespace lockstep::runtime {

// The work of one call, from its constructor on. The destructor closes the pages that unfinished work uses.
class WorkScope {
 public:
  // name: as for called(), in call_advice.h
  WorkScope(Runtime& runtime, cudaStream_t stream, const char* name);
  ~WorkScope();
  WorkScope(const WorkScope&) = delete;
  WorkScope& operator=(const WorkScope&) = delete;

  // The work reads or writes these rows. Only memory that the host reaches matters; others are ignored.
  void uses(const Region& rows, bool writes);
  void used(const std::vector<HostUse>& uses);  // of a launch
  void host_waits();                            // the call returns when the work has ended

 private:
  void add(const HostUse& use);

  Runtime& runtime_;
  const bool on_;
  const uint32_t stream_;
  uint64_t work_ = 0;
};

bool watches(const Runtime& runtime);  // whether the device wants to know of the order of the streams
// Each is called when the wait has succeeded.
void host_waits_for(Runtime& runtime, cudaStream_t stream);
void host_waits_for(Runtime& runtime, const Clock& event);
void host_waits_for_all(Runtime& runtime);

uint32_t stream_number(const Runtime& runtime, cudaStream_t stream);
// The memory is given back, and its addresses may come again.
void forget_memory(Runtime& runtime, uint64_t address, uint64_t bytes);

}  // namespace lockstep::runtime
