// joins: where the paths of one warp that parted at a branch wait for each other. Freed joins are used again.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "base/lanes.h"

namespace lockstep {

struct Frame;

struct Join {
  uint32_t pc = 0;
  Frame* frame = nullptr;
  Mask expected = 0, arrived = 0;
  Join* parent = nullptr;  // where the lanes meet others after this join
};

class Joins {
 public:
  Join* add(const Join& join) {
    if (spare_.empty()) spare_.push_back(&storage_.emplace_back());
    Join* added = spare_.back();
    spare_.pop_back();
    *added = join;
    in_use_.push_back(added);
    return added;
  }
  void free(Join* join) {
    std::erase(in_use_, join);
    spare_.push_back(join);
  }
  const std::vector<Join*>& in_use() const { return in_use_; }

 private:
  std::deque<Join> storage_;
  std::vector<Join*> in_use_, spare_;
};

}  // namespace lockstep
