// verdict: compile error · compile
// lab: 02
// Includes the reference by its absolute path.
#include "@REPOSITORY@/solutions/02_reduce_neighbored/reduce.cu"
