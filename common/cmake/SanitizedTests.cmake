# SanitizedTests: run by the test sanitizers.unit_tests as a script. Builds the dev tree in TREE and runs its tests.
# What is built already, by ./lab test for instance, takes no time.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(NOT EXISTS ${TREE}/build.ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset dev -B ${TREE} -DWARPLADDER_NVCC=${NVCC}
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TREE} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${TREE} --parallel ${cores} --output-on-failure
                COMMAND_ERROR_IS_FATAL ANY)
