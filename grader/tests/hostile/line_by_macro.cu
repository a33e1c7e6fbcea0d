// verdict: rule broken · finding.race
// lab: 99
// As line_of_cub, but a macro makes the name out of this file's own folder.
#include "unordered.h"

#define PLACE "/home/me/thrust/system/cuda/detail/reduce.h"
#line 1 PLACE
UNORDERED_KERNEL(racy)
int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
