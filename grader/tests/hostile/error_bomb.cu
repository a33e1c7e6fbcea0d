// verdict: compile error · compile
// lab: 02
// One error in each of 30,000 lines.
#include "common/contracts/reduction.h"

#define A x = y;
#define B A A A A A A A A A A
#define C B B B B B B B B B B
#define D C C C C C C C C C C
#define E D D D D D D D D D D
int reduce_sum(int*, int) { E E E return 0; }
