# Fails if a copy of the handlers defines a weak symbol outside its own namespace. The linker may give such a symbol to
# other code, and a processor without AVX2 or AVX-512 would then run instructions of it.
# cmake -DNM=nm -DISA=avx2 -DOBJECTS="a.o;b.o" -P alu_isolation.cmake
foreach(object IN LISTS OBJECTS)
  execute_process(COMMAND ${NM} -C --defined-only ${object} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "[^\n]* [WVuT] [^\n]*" shared "${symbols}")
  foreach(symbol IN LISTS shared)
    if(NOT symbol MATCHES "lockstep::${ISA}::")
      message(SEND_ERROR "${object} defines ${symbol}")
    endif()
  endforeach()
endforeach()
list(LENGTH OBJECTS count)
message(STATUS "${count} object files")
