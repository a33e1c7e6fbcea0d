// verdict: compile error · compile
// lab: 02
// Includes /etc/passwd, whose lines would stand in the compiler's messages.
#include "/etc/passwd"
