# Warnings: the interface target warpladder_warnings, linked PRIVATE by every target of our own; and warpladder_quick,
# by those that are compiled more often than they work.
# Left out: labs, whose code is the learner's and is compiled by nvcc; -Wpedantic, as 64-bit products need __int128.
option(WARPLADDER_WERROR "Treat warnings in our own code as errors" ON)

add_library(warpladder_warnings INTERFACE)
target_compile_options(
  warpladder_warnings
  INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
            $<$<BOOL:${WARPLADDER_WERROR}>:-Werror>)

# Tests, and the judge but for its loops over whole arrays: -O3 doubles how long JSON takes to compile, and sanitizers
# double it again at -O1.
add_library(warpladder_quick INTERFACE)
target_compile_options(warpladder_quick INTERFACE $<IF:$<BOOL:${WARPLADDER_SANITIZED}>,-O0,-O1>)
