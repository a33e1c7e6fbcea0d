// verdict: rule broken · finding.race
// lab: 99
// Declares itself to be a system header, and gives the name of a header of libcu++.
#include "unordered.h"

#pragma GCC system_header
#pragma nv_diag_suppress 1
#line 7 "/usr/local/cuda/include/cccl/cuda/std/atomic"
UNORDERED_KERNEL(racy)
_Pragma("GCC system_header") int reduce_sum(int* data, int n) { return sum_with(racy, data, n); }
