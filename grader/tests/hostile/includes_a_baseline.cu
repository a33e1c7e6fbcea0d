// verdict: compile error · compile
// lab: 02
// Asks for the binaries of the build, the judge's sources and the labs' rules, each by its name.
#if __has_include("@REPOSITORY@/build/labs/02_reduce_neighbored/solution") ||                \
                  __has_include(                                                             \
                      "grader/judge/contract/oracle.cc") ||                                  \
                      __has_include("@REPOSITORY@/labs/02_reduce_neighbored/lab.json") ||    \
                                    __has_include("common/runner/main.cc") ||                \
                                                  __has_include("@REPOSITORY@/.git/HEAD") || \
                                                                __has_include("common/lockstep/device/device.h")
#error BREACHED: what a learner has no need of is there
#endif
#include "grader/judge/contract/oracle.h"
