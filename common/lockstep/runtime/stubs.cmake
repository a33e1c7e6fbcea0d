# stubs: the toolkit → three generated files. Run as a script:
#   cmake -DCUDART=libcudart.so.13 -DNM=nm -DDRIVER_TYPES=driver_types.h -DOUT=folder -P stubs.cmake
# Writes OUT/stubs.cc: for each function that the toolkit's library exports, a weak function that refuses by name. When
# the library is linked, lockstep's own functions replace them. Writes OUT/cuda_error_names.inc, the names of cudaError_t,
# and OUT/cudart_exports.txt, the list of exports.
execute_process(COMMAND ${NM} -D --defined-only ${CUDART} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "(__cuda|cuda)[A-Za-z0-9_]+@@libcudart" names "${symbols}")
list(TRANSFORM names REPLACE "@@libcudart" "")
list(SORT names)
list(LENGTH names count)
if(count LESS 100)
  message(FATAL_ERROR "${CUDART} exports only ${count} functions: is it a CUDA runtime library?")
endif()

set(stubs "// Made by stubs.cmake.\n#include \"runtime/stubs.h\"\n\nusing lockstep::runtime::refuse;\n\n")
foreach(name IN LISTS names)
  string(APPEND stubs "LOCKSTEP_STUB(${name})\n")
endforeach()
file(WRITE ${OUT}/stubs.cc "${stubs}")

string(REPLACE ";" "\n" list_text "${names}")
file(WRITE ${OUT}/cudart_exports.txt "${list_text}\n")

file(STRINGS ${DRIVER_TYPES} lines REGEX "^ +cuda(Success|Error[A-Za-z0-9]+) *= *[0-9]+")
set(errors "")
foreach(line IN LISTS lines)
  string(REGEX MATCH "cuda(Success|Error[A-Za-z0-9]+)" name "${line}")
  string(APPEND errors "LOCKSTEP_ERROR(${name})\n")
endforeach()
if(NOT errors MATCHES "cudaErrorIllegalAddress")
  message(FATAL_ERROR "${DRIVER_TYPES} holds no cudaError_t that this script can read")
endif()
file(WRITE ${OUT}/cuda_error_names.inc "${errors}")
