// report: launches' counters → JSON. Sums per kernel and per source line, under Nsight Compute's names; counter_names
// says in plain words what each is, and how exact.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/findings.h"
#include "engine/launch_state.h"
#include "report/cost_model.h"

namespace lockstep {

// Counter name → sum.
using CounterSums = std::map<std::string, uint64_t>;

struct LaunchRecord {
  std::string kernel;
  Dim3 grid, block;
  CounterSums counters;
  CounterSums occupancy;
  std::map<std::pair<std::string, uint32_t>, CounterSums> lines;  // by file and line
  Work work;                                                      // no blocks: nothing is modelled
};

bool operator<(const LaunchRecord& a, const LaunchRecord& b);  // any order that tells them apart

// What the host did since the launch before; nothing before the first.
struct HostCalls {
  uint64_t synchronisations = 0;  // calls that waited for the device
  uint64_t allocations = 0;
};

LaunchRecord summarise(const Launch& launch, const LaunchState& state, const HostCalls& host);

// The launches so far, in order. Equal ones, as a loop in the host's code makes many, are kept once.
class LaunchRecords {
 public:
  void add(LaunchRecord record) { in_order_.push_back(&*distinct_.insert(std::move(record)).first); }
  const std::vector<const LaunchRecord*>& all() const { return in_order_; }

 private:
  std::set<LaunchRecord> distinct_;
  std::vector<const LaunchRecord*> in_order_;
};

// {"launches":[{"kernel","grid","block","counters","ratios","occupancy","lines":[{"file","line","counters","ratios"}],
//               "modelled":{card: {"us","bound","parts":{name: us}}},"work":{name: number}}],
//  "findings":[{"kind","kernel","file","line","block","thread","where"?,"other"?:{"file","line","block","thread",
//               "access"},"message","count","schedule"}],
//  "modelled":{card: us, of all launches; cards that one does not fit on are left out},
//  "modelled_error": the factor up to which quotients of such times are right,
//  "counter_kinds":{name: "exact"|"ptx-level"|"modelled"}, "counter_names":{name: in plain words}, "end"}
// schedule: as LOCKSTEP_SCHEDULE takes it, so that a finding can be had again. end: how the program did.
std::string to_json(const LaunchRecords& launches, const std::vector<Finding>& findings, const Schedule& schedule,
                    std::string_view end);

}  // namespace lockstep
