# Programs that were not prepared for lockstep: ordinary CUDA with the toolkit's own headers (CUB, Thrust, cooperative
# groups). Each compares its results with the CPU's.
file(GLOB programs CONFIGURE_DEPENDS programs/*.cu)
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  add_lockstep_program(${program})
  set(binaries ${name})
  # A line "// Also for compute_80, compute_90" asks for more binaries, for which the headers choose other instructions.
  file(STRINGS ${program} architectures LIMIT_COUNT 1 REGEX "^// Also for compute_")
  string(REGEX MATCHALL "[0-9]+" architectures "${architectures}")
  foreach(architecture IN LISTS architectures)
    add_lockstep_program(${program} ${architecture})
    list(APPEND binaries ${name}_${architecture})
  endforeach()
  foreach(binary IN LISTS binaries)
    foreach(schedule IN ITEMS forward reverse random:1)
      set(test lockstep.program.${binary}.${schedule})
      add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${binary})
      set_tests_properties(
        ${test} PROPERTIES LABELS lockstep TIMEOUT 120
                ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep;LOCKSTEP_SCHEDULE=${schedule}")
    endforeach()
  endforeach()
endforeach()
# Large programs without faults: lockstep must report no finding.
foreach(binary IN ITEMS cub_histogram cub_reduce cub_run_length_encode cub_scan cub_segmented_reduce cub_select
                        cub_transform cub_transform_90 thrust_numeric)
  set(test lockstep.program.${binary}.checks)
  add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${binary})
  set_tests_properties(
    ${test} PROPERTIES LABELS lockstep TIMEOUT 120 FAIL_REGULAR_EXPRESSION "lockstep: "
            ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep;LOCKSTEP_CHECKS=all")
endforeach()
if(Python3_FOUND)
  list(TRANSFORM programs REPLACE ".*/(.*)\\.cu" "${CMAKE_CURRENT_BINARY_DIR}/\\1" OUTPUT_VARIABLE program_binaries)
  # They wait for the clock, so no two runs have the same counters.
  list(FILTER program_binaries EXCLUDE REGEX "standard_library|libcu_sync|pipelines")
  set(labs "")
  if(WARPLADDER_LABS)
    set(labs --labs ${PROJECT_SOURCE_DIR}/labs ${CMAKE_BINARY_DIR}/labs)
  endif()
  add_test(NAME lockstep.threads.programs
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/engine/threads_programs.py ${CMAKE_BINARY_DIR}/lockstep
                   ${program_binaries} ${labs})
  set_tests_properties(lockstep.threads.programs PROPERTIES LABELS lockstep TIMEOUT 300)
endif()
