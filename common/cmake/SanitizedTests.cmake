# SanitizedTests: the tests sanitizers.* run this script. It builds TARGET of PRESET in TREE and runs the tests that
# match TESTS. Targets that are already built, for instance by ./lab test, take no time.
cmake_host_system_information(RESULT cores QUERY NUMBER_OF_LOGICAL_CORES)
if(NOT EXISTS ${TREE}/build.ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset ${PRESET} -B ${TREE} -DWARPLADDER_NVCC=${NVCC}
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TREE} --target ${TARGET} COMMAND_ERROR_IS_FATAL ANY)
execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${TREE} --parallel ${cores} --output-on-failure -R ${TESTS}
                        --no-tests=error
                COMMAND_ERROR_IS_FATAL ANY)
