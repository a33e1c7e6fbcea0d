# functions: the headers of one of NVIDIA's libraries → OUT/NAME_functions.inc, a line for each function of it, and
# OUT/NAME.map, its version node. Run as a script:
#   cmake -DNAME=cublas -DSONAME=libcublas.so.13 "-DHEADERS=cublas_api.h;…" -DLIBRARY=libcublas.so.13 -DNM=nm -DOUT=folder
#         -P functions.cmake
# A function stands before the parenthesis of its parameters. LIBRARY is NVIDIA's own, or empty: its other libraries
# (cuSOLVER) need functions that no header declares.
set(names "")
foreach(header IN LISTS HEADERS)
  file(READ ${header} text)
  string(REGEX MATCHALL "[^A-Za-z0-9_]${NAME}[A-Z][A-Za-z0-9_]* *\\(" found "${text}")
  list(APPEND names ${found})
endforeach()
list(TRANSFORM names REPLACE "[^A-Za-z0-9_]" "")
if(LIBRARY)
  execute_process(COMMAND ${NM} -D --defined-only ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "${NAME}[A-Z][A-Za-z0-9_]*@@" found "${symbols}")
  list(TRANSFORM found REPLACE "@@" "")
  list(APPEND names ${found})
endif()
list(REMOVE_DUPLICATES names)
list(FILTER names EXCLUDE REGEX "^cublasMigrateComputeType$")  # is in the header itself
list(SORT names)
list(LENGTH names count)
if(count LESS 20)
  message(FATAL_ERROR "${HEADERS} name only ${count} functions: are they those of ${NAME}?")
endif()
list(TRANSFORM names REPLACE "(.+)" "LOCKSTEP_FUNCTION(\\1)")
string(REPLACE ";" "\n" text "${names}")
file(WRITE ${OUT}/${NAME}_functions.inc "${text}\n")
file(WRITE ${OUT}/${NAME}.map "${SONAME} { global: ${NAME}*; local: *; };\n")
