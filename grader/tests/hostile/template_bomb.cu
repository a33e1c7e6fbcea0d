// verdict: compile error · compile
// lab: 02
// A template calls itself twice at each of 900 levels, and fails with a message of thousands of lines.
#include "common/contracts/reduction.h"

template <int depth, class... Path>
struct Bomb {
  using Left = typename Bomb<depth - 1, Path..., int>::Left;
  using Right = typename Bomb<depth - 1, Path..., long>::Right;
};

int reduce_sum(int*, int) { return sizeof(Bomb<24>::Left); }
