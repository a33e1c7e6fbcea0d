# Warnings: the interface target warpladder_warnings, linked PRIVATE by every target of our own.
# Left out: labs, whose code is the learner's and is compiled by nvcc; -Wpedantic, as 64-bit products need __int128.
option(WARPLADDER_WERROR "Treat warnings in our own code as errors" ON)

add_library(warpladder_warnings INTERFACE)
target_compile_options(
  warpladder_warnings
  INTERFACE -Wall -Wextra -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough
            $<$<BOOL:${WARPLADDER_WERROR}>:-Werror>)
