// verdict: compile error · compile
// lab: 02
// Thirteen macros, each expanding to eight times the one before.
#include "common/contracts/reduction.h"

#define A 1,
#define B A A A A A A A A
#define C B B B B B B B B
#define D C C C C C C C C
#define E D D D D D D D D
#define F E E E E E E E E
#define G F F F F F F F F
#define H G G G G G G G G
#define I H H H H H H H H
#define J I I I I I I I I
#define K J J J J J J J J
static const char numbers[] = {K};

int reduce_sum(int*, int n) { return numbers[n]; }
