# ThreadSanitizer: the test sanitizers.threads. It builds the preset tsan in TREE, with the rooms without threads from the
# tree BUILT, and runs lockstep's launches on several threads.
if(NOT EXISTS ${TREE}/build.ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset tsan -B ${TREE} -DWARPLADDER_NVCC=${NVCC} -DWARPLADDER_ROOMS_FROM=${BUILT}
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TREE} --target lockstep_engine_test COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${TREE}/common/lockstep/tests/engine/lockstep_engine_test --gtest_filter=Threads.*:Workers.*
                OUTPUT_VARIABLE output COMMAND_ECHO STDOUT ECHO_OUTPUT_VARIABLE COMMAND_ERROR_IS_FATAL ANY)
if(NOT output MATCHES "Running [1-9]")
  message(FATAL_ERROR "no test has a name of Threads.* or Workers.*")
endif()
