// fault: the judge cannot judge, because its own files, its machine or its command are wrong.
#pragma once

#include <stdexcept>

namespace warpladder {

// The message says what to do. A JudgeFault never costs a learner points.
class JudgeFault : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace warpladder
