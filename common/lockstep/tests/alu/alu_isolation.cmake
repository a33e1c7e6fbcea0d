# Fails if the AVX2 copy of the handlers defines a symbol that other code could be linked against: weak ones, outside
# its own namespace. One such and a processor without AVX2 may be given AVX2 code.
# cmake -DNM=nm -DOBJECTS="a.o;b.o" -P alu_isolation.cmake
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVuT] [^\n]*" shared "${symbols}")
  foreach(symbol IN LISTS shared)
    if(NOT symbol MATCHES "lockstep::avx2::")
      message(SEND_ERROR "${object} defines ${symbol}")
    endif()
  endforeach()
endforeach()
list(LENGTH OBJECTS count)
message(STATUS "${count} object files")
