# Programs that were not written for lockstep: ordinary CUDA against the toolkit's own headers (CUB, Thrust, cooperative
# groups), each comparing itself with the CPU.

# add_program_test(BINARY NAME LABELS labels ENVIRONMENT settings…): one run of a program.
function(add_program_test binary name)
  cmake_parse_arguments(PARSE_ARGV 2 run "" "" "LABELS;ENVIRONMENT")
  set(test lockstep.program.${binary}.${name})
  add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${binary})
  set_tests_properties(${test} PROPERTIES LABELS "${run_LABELS}" TIMEOUT 120
                       ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep;${run_ENVIRONMENT}")
  if("long" IN_LIST run_LABELS)
    set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED all_types TIMEOUT 600)
  endif()
endfunction()

# These programs are large and right: the checks must find nothing in them.
set(checked cub_histogram cub_reduce cub_run_length_encode cub_scan cub_segmented_reduce cub_select cub_transform
            cub_transform_90 thrust_numeric)
file(GLOB programs CONFIGURE_DEPENDS programs/*.cu)
set(long_targets "")
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  add_lockstep_program(${program})
  set(binaries ${name})
  # A line "// Also for compute_80, compute_90" asks for binaries whose headers choose other instructions.
  file(STRINGS ${program} architectures LIMIT_COUNT 1 REGEX "^// Also for compute_")
  string(REGEX MATCHALL "[0-9]+" architectures "${architectures}")
  foreach(architecture IN LISTS architectures)
    add_lockstep_program(${program} ${architecture})
    list(APPEND binaries ${name}_${architecture})
  endforeach()
  # nvcc takes minutes for all algorithms on all types of elements. These programs have the label `long`.
  file(STRINGS ${program} has_types LIMIT_COUNT 1 REGEX "#include \"algorithms.h\"")
  if(has_types)
    add_lockstep_program(${program} SUFFIX all_types FLAGS -DALL_TYPES)
    list(APPEND binaries ${name}_all_types)
    list(APPEND long_targets lockstep_program_${name}_all_types)
  endif()
  foreach(binary IN LISTS binaries)
    set(labels lockstep)
    if(binary MATCHES "_all_types$")
      set(labels lockstep long)
    endif()
    foreach(schedule IN ITEMS forward reverse random:1)
      add_program_test(${binary} ${schedule} LABELS ${labels} ENVIRONMENT LOCKSTEP_SCHEDULE=${schedule})
    endforeach()
    string(REGEX REPLACE "_all_types$" "" plain ${binary})
    if(plain IN_LIST checked)
      add_program_test(${binary} checks LABELS ${labels} ENVIRONMENT LOCKSTEP_CHECKS=all)
      set_tests_properties(lockstep.program.${binary}.checks PROPERTIES FAIL_REGULAR_EXPRESSION "lockstep: ")
    endif()
  endforeach()
endforeach()
add_custom_target(lockstep_long_programs DEPENDS ${long_targets})
add_test(NAME lockstep.program.all_types COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target lockstep_long_programs)
set_tests_properties(lockstep.program.all_types PROPERTIES LABELS "lockstep;long" FIXTURES_SETUP all_types TIMEOUT 1800)

if(Python3_FOUND)
  list(TRANSFORM programs REPLACE ".*/(.*)\\.cu" "${CMAKE_CURRENT_BINARY_DIR}/\\1" OUTPUT_VARIABLE program_binaries)
  # These programs wait by the clock, so no two runs have the same counts.
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
