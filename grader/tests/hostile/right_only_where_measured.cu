// verdict: wrong answer · case.reduce_sum
// lab: 02
// Right only at the largest sizes. At all others it adds only the elements of the first block.
#include <algorithm>

#include "right.h"

int reduce_sum(int* data, int n) { return right_sum(data, n > 5000 ? n : std::min(n, 1024)); }
