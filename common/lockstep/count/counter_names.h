// counter_names: every number of the report: its name (Nsight Compute's own where it has one), in plain words, and how
// exact it is.
#pragma once

#include <span>

namespace lockstep {

enum class CounterKind {
  kExact,     // equal to the hardware's counter for the accesses that PTX states
  kPtxLevel,  // counts PTX; ptxas may merge, hoist, drop or add (it turns short branches into predicates)
  kModelled,  // an estimate
};
const char* to_text(CounterKind kind);

struct CounterName {
  const char* name;
  const char* plain;
  CounterKind kind;
};

// Sums, which every launch names even if they are zero, so that a rule can ask for zero.
std::span<const CounterName> counter_names();
// Quotients of sums, and the figures of a launch's occupancy.
std::span<const CounterName> ratio_names();
std::span<const CounterName> occupancy_names();

}  // namespace lockstep
