# SanitizedTests: run by the tests sanitizers.* as a script. Builds TARGET of PRESET in TREE and runs the tests that match
# TESTS. What is built already, by ./lab test for instance, takes no time.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(NOT EXISTS ${TREE}/build.ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset ${PRESET} -B ${TREE} -DWARPLADDER_NVCC=${NVCC}
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TREE} --target ${TARGET} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${TREE} --parallel ${cores} --output-on-failure -R ${TESTS}
                        --no-tests=error
                COMMAND_ERROR_IS_FATAL ANY)
