# Warnings: the interface target warpladder_warnings, which all our targets link as PRIVATE; and warpladder_quick, for
# targets that compile longer than they run.
# Left out: labs, whose code the learner writes and nvcc compiles; -Wpedantic, as 64-bit products need __int128.
option(WARPLADDER_WERROR "Treat warnings in our own code as errors" ON)

add_library(warpladder_warnings INTERFACE)
target_compile_options(
  warpladder_warnings
  INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
            $<$<BOOL:${WARPLADDER_WERROR}>:-Werror>)

# Tests, and the judge except for its loops over whole arrays. Processor time to compile the judge with GCC 12: 15 s at
# -O1, 11 s at -Og, 10 s at -O0; sanitizers double it at -O1.
add_library(warpladder_quick INTERFACE)
target_compile_options(warpladder_quick INTERFACE $<IF:$<BOOL:${WARPLADDER_SANITIZED}>,-O0,-Og>)

# GCC reuses its memory only above 512 MiB: 8 % less processor time, and 1.15 GB instead of 0.87 GB for the judge.
add_compile_options($<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=524288>)
