# UnitTests: builds the unit tests with sanitizers (preset dev) in TREE. With RUN it also runs them, because
# CTest reads its list of tests only when it starts.
if(NOT EXISTS ${TREE}/build.ninja)
  execute_process(COMMAND ${CMAKE_COMMAND} --preset dev -B ${TREE} -DWARPLADDER_NVCC=${NVCC}
                  WORKING_DIRECTORY ${SOURCE} COMMAND_ERROR_IS_FATAL ANY)
endif()
execute_process(COMMAND ${CMAKE_COMMAND} --build ${TREE} COMMAND_ERROR_IS_FATAL ANY)
if(RUN)
  execute_process(COMMAND ${CMAKE_CTEST_COMMAND} --test-dir ${TREE} --output-on-failure --no-tests=error
                  COMMAND_ERROR_IS_FATAL ANY)
endif()
