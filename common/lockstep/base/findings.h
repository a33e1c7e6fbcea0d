// findings: what went wrong, or might on another run: one entry per distinct cause, with a count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/dim3.h"

namespace lockstep {

// Who did what, where in the source. `file` is empty if the program was built without -lineinfo, or for the host.
struct Site {
  std::string file;
  uint32_t line = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string access;  // "read", "write", "atomic", or empty
};

struct Finding {
  std::string kind;    // "out_of_bounds", "race", … as the report names it
  std::string kernel;  // empty: the host's doing
  Site at;
  std::optional<Site> other;  // the second of two accesses or places
  std::string where;          // "s_tile[17]", or empty
  std::string message;        // for a person: what, where, what it means, the next step
  uint64_t count = 1;
  bool within_warp = false;  // a race of lanes of one warp

  // The same cause, seen again. Where a block's barrier is missing, lanes of one warp meet as well, and first; two
  // warps tell more, and take their place.
  void see_again(Finding again);
};

class Findings {
 public:
  // Adds it, or counts one more if its cause (kind, kernel, lines) is known. Gives its index in all().
  size_t add(Finding finding);
  void count_again(size_t index) { ++findings_[index].count; }
  void add_all(const Findings& others);

  const std::vector<Finding>& all() const { return findings_; }
  // Messages of those that came since the last call, each with its count so far.
  std::vector<std::string> take_messages();

 private:
  std::vector<Finding> findings_;
  std::map<std::string, size_t> by_cause_;  // → findings_
  size_t told_ = 0;
};

}  // namespace lockstep
