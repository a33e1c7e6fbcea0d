// verdict: wrong answer · case.reduce_sum
// lab: 02
// Lazy at all sizes but the largest ones: adds what the first block holds.
#include <algorithm>

#include "right.h"

int reduce_sum(int* data, int n) { return right_sum(data, n > 5000 ? n : std::min(n, 1024)); }
