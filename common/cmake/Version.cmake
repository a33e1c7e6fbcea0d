# Version: cmake -DOUT=FILE.cc -DSOURCE=FOLDER -P Version.cmake writes judge_version() of grader/judge/verdict/verdict.h.
# It runs at every build, and touches the file only when the version changed.
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty OUTPUT_VARIABLE version
                OUTPUT_STRIP_TRAILING_WHITESPACE RESULT_VARIABLE failed ERROR_QUIET)
if(failed)
  set(version unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT [[
#include "grader/judge/verdict/verdict.h"
const char* warpladder::judge_version() { return "@version@"; }
]] @ONLY)
