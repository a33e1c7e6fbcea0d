# Warnings: the interface target warpladder_warnings, which all our targets link as PRIVATE; and warpladder_quick, for
# targets that compile longer than they run.
# Left out: labs, whose code the learner writes and nvcc compiles; -Wpedantic, as 64-bit products need __int128.
option(WARPLADDER_WERROR "Treat warnings in our own code as errors" ON)

add_library(warpladder_warnings INTERFACE)
target_compile_options(
  warpladder_warnings
  INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
            $<$<BOOL:${WARPLADDER_WERROR}>:-Werror>)

# Tests, and the judge except for its loops over whole arrays: -O3 doubles how long JSON takes to compile, and
# sanitizers double it again at -O1.
add_library(warpladder_quick INTERFACE)
target_compile_options(warpladder_quick INTERFACE $<IF:$<BOOL:${WARPLADDER_SANITIZED}>,-O0,-O1>)
