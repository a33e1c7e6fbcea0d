// findings: mistakes that happened, or could happen on another run. One entry for each distinct cause, with a count.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/dim3.h"

namespace lockstep {

// The source line, the thread and the kind of access. `file` is empty for the host, and for a program that was built
// without -lineinfo.
struct Site {
  std::string file;
  uint32_t line = 0;
  Dim3 block{0, 0, 0}, thread{0, 0, 0};
  std::string access;  // "read", "write", "atomic", or empty
};

struct Finding {
  std::string kind{};    // "out_of_bounds", "race", … as the report names it
  std::string kernel{};  // empty: the host's code did it
  Site at{};
  std::optional<Site> other{};  // the second of two accesses
  std::string where{};          // "s_tile[17]", or empty
  std::string marked_where{};   // the same with the marks of its words
  std::string message{};        // for a person: the mistake, its location, its meaning, the next step
  std::string marked{};         // the same with the marks of its words (base/words.h)
  uint64_t count = 1;
  uint8_t tells = 0;  // of a race: how much this pair of accesses says about the cause

  // Counts the same cause again. The finding that tells more stays: where a block's barrier is missing, lanes of one
  // warp race first, and two warps later.
  void see_again(Finding again);
};

class Findings {
 public:
  // Takes the marks out of `message` and `where`. Adds the finding, or counts one more if its cause (kind, kernel,
  // lines, array) is known. Returns its index in all().
  size_t add(Finding finding);
  void add_all(const Findings& others);
  void count_again(size_t index) { ++findings_[index].count; }
  void add_text(size_t index, const std::string& text);

  // The line begins with a line break, and stands before the next step.
  void add_line(size_t index, const std::string& line);

  const std::vector<Finding>& all() const { return findings_; }
  // Messages of the findings since the last call, with marks, each with its count so far. Of one kind in one kernel the
  // first is told in full, and of the others the place.
  std::vector<std::string> take_messages();

 private:
  std::vector<Finding> findings_;
  std::map<std::string, size_t> by_cause_;  // cause → index in findings_
  size_t told_ = 0;
  std::set<std::string> told_groups_;  // a kind and a kernel
};

}  // namespace lockstep
