// verdict: rule broken · finding.race
// lab: 99
// Leaves out the barrier above 8,192 elements, where only the measured run and the drawn ones are.
#include "racy.h"

int reduce_sum(int* data, int n) { return racy_sum(data, n, n <= 8192); }
