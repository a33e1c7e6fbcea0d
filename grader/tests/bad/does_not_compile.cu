// caught by: compile
#include "common/contracts/reduction.h"

int reduce_sum(int* data, int n) { return data[0] + m }
