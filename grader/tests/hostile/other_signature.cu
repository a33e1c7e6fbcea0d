// verdict: compile error · compile
// lab: 02
// Defines the function, but with other parameters.
long reduce_sum(const int*, long) { return 0; }
