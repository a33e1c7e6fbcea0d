// report: launches' counters → JSON. Sums per kernel and per source line, under Nsight Compute's names.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "launch.h"

namespace lockstep {

// Counter name → sum.
using CounterSums = std::map<std::string, uint64_t>;

struct LaunchRecord {
  std::string kernel;
  Dim3 grid, block;
  CounterSums counters;
  std::map<std::pair<std::string, uint32_t>, CounterSums> lines;  // by file and line
};

LaunchRecord summarise(const Launch& launch);

// What went wrong, as the report lists it. kind: "out_of_bounds", "misaligned", …
struct Finding {
  std::string kind, kernel, file;
  uint32_t line = 0;
  std::string message;
};

// {"launches":[{"kernel","grid","block","counters","lines":[{"file","line","counters"}]}],"findings":[…]}
std::string to_json(const std::vector<LaunchRecord>& launches, const std::vector<Finding>& findings);

}  // namespace lockstep
