// verdict: compile error · compile
// lab: 02
// Includes itself twice.
#include __FILE__
#include __FILE__
