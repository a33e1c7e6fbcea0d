// verdict: compile error · compile
// lab: 02
// Includes the compiler's stdin.
#include "/dev/stdin"
