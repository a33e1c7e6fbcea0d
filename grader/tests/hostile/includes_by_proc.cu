// verdict: compile error · compile
// lab: 02
// Looks for the reference through /proc: the compiler's folder, its root, and its parents' roots.
#if __has_include("/proc/self/cwd/solutions/02_reduce_neighbored/reduce.cu") ||                    \
                  __has_include(                                                                   \
                      "/proc/self/root/@REPOSITORY@/solutions/02_reduce_neighbored/reduce.cu") ||  \
                      __has_include(                                                               \
                          "/proc/1/root/@REPOSITORY@/solutions/02_reduce_neighbored/reduce.cu") || \
                          __has_include(                                                           \
                              "../../../../../../../../@REPOSITORY@/solutions/02_reduce_neighbored/reduce.cu")
#error BREACHED: the reference is there
#endif
#include "/proc/self/cwd/solutions/02_reduce_neighbored/reduce.cu"
