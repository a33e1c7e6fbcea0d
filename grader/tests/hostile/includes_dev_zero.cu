// verdict: compile error · compile
// lab: 02
// Includes a file that never ends.
#include "/dev/zero"
