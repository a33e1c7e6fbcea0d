# functions: the toolkit's cuda.h → OUT/driver_functions.inc, a line for each function of the driver. Run as a script:
#   cmake -DHEADER=cuda.h -DOUT=folder -P functions.cmake
# A function stands before the parenthesis of its parameters. A newer version of it stands in a macro:
# #define cuMemAlloc cuMemAlloc_v2, #define cuMemcpyHtoD __CUDA_API_PTDS(cuMemcpyHtoD_v2)
file(READ ${HEADER} text)
string(REGEX MATCHALL "[^A-Za-z0-9_]cu[A-Z][A-Za-z0-9]*(_v[0-9]+)?[()\n]" names "${text}")
list(TRANSFORM names REPLACE "[^A-Za-z0-9_]" "")
list(REMOVE_DUPLICATES names)
list(SORT names)
list(LENGTH names count)
if(count LESS 200)
  message(FATAL_ERROR "${HEADER} names only ${count} functions: is it the header of CUDA's driver?")
endif()
list(TRANSFORM names REPLACE "(.+)" "LOCKSTEP_DRIVER(\\1)")
string(REPLACE ";" "\n" text "${names}")
file(WRITE ${OUT}/driver_functions.inc "${text}\n")
