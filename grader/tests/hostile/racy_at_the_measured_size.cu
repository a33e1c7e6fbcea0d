// verdict: rule broken · finding.race
// lab: 99
// Leaves out the barrier only at the size of the measured run, which stands in lab.json.
#include "racy.h"

int reduce_sum(int* data, int n) { return racy_sum(data, n, n != 16384); }
