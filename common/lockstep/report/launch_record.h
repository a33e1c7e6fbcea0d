// launch_record: a launch that has ended → its counters, per kernel and per source line, under Nsight Compute's names.
// counter_names says in plain words what each counter means, and how exact it is.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/dim3.h"
#include "engine/launch_state.h"
#include "report/work.h"
#include "sass/forms.h"

namespace lockstep {

// Counter name → sum.
using CounterSums = std::map<std::string, uint64_t>;

// The counters of a launch, or of one source line of it.
struct Counted {
  CounterSums counters;
  CounterSums by_ptx;              // counts of the accesses as PTX has them, where `counters` follows the machine code
  CounterSums of_printf{};         // what printf() accesses, which `counters` contain
  std::set<std::string> doubtful;  // exact counters that a card may count otherwise here
  std::set<std::string> notes;     // what ptxas did, and why a counter is doubtful; with marks (base/words.h)
  auto operator<=>(const Counted&) const = default;
};

struct LaunchRecord {
  std::string kernel;
  Launcher launcher;  // no kernel: the host launched it
  Dim3 grid, block;
  Counted all;
  CounterSums occupancy;
  std::map<std::pair<std::string, uint32_t>, Counted> lines;  // by file and line
  Work work;                                                  // no blocks: nothing is modelled
  auto operator<=>(const LaunchRecord&) const = default;
};

// The host's calls since the last launch. Those before the first launch are not counted, except for the bytes of
// copies.
struct HostCalls {
  uint64_t synchronisations = 0;  // calls that waited for the device
  uint64_t allocations = 0;
  uint64_t fetched = 0, given = 0;  // bytes of copies from the device to the host, and from the host to the device
};

// Bytes that passed between host and device, in any way.
struct Crossing {
  uint64_t to_host = 0, from_host = 0;
};

// By what the program may have chosen its grid and its arguments, though a card may have told it otherwise.
struct HostDecides {
  bool by_guess = false;  // by a guess of lockstep's about registers
  bool by_race = false;   // by a number that a race left
};

// forms: what ptxas made of the program's accesses.
LaunchRecord summarise(const Launch& launch, const LaunchState& state, const HostCalls& host, const Forms& forms,
                       const Dependences& depends, const HostDecides& decides = {});

// The launches so far, in order. Equal launches, as a loop in the host's code makes many, are kept once.
class LaunchRecords {
 public:
  void add(LaunchRecord record) { in_order_.push_back(&*distinct_.insert(std::move(record)).first); }
  const std::vector<const LaunchRecord*>& all() const { return in_order_; }

 private:
  std::set<LaunchRecord> distinct_;
  std::vector<const LaunchRecord*> in_order_;
};

}  // namespace lockstep
