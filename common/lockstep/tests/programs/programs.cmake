# Programs that were not written for lockstep: ordinary CUDA against the toolkit's own headers (CUB, Thrust, cooperative
# groups), each comparing itself with the CPU.

# These programs are large and right: the checks must find nothing in them.
set(checked cub_histogram cub_reduce cub_run_length_encode cub_scan cub_segmented_reduce cub_select cub_transform
            arrays cub_transform_90 graph_capture graph_conditional graph_nodes kernel_launches kernel_launches_90 surfaces
            tensor_core_layouts_90 tensor_cores_90 textures thrust_numeric)
# These run with the device in a process of its own, too: calls about graphs are the runtime's. Launches from kernels
# happen in the device's process, and so do fetches from textures.
set(served arrays graph_capture graph_conditional graph_nodes kernel_launches libraries surfaces textures)
# These also run on a card, if there is one: what they expect must be what a card does.
set(on_card ${served} approximations approximations_90 grid_sync groups_90 kernel_launches_90 language_90 libcu_sync_90 look_back
            pipelines_90 progress registers standard_library tensor_core_layouts_90 tensor_cores_90)

# add_served_program_test(BINARY): the program with its device in a process of its own, under all checks.
function(add_served_program_test binary)
  if(NOT Python3_FOUND)
    return()
  endif()
  set(test lockstep.program.${binary}.served)
  add_test(NAME ${test} COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/device/with_server.py
                                ${CMAKE_BINARY_DIR}/lockstep/device_server ${CMAKE_CURRENT_BINARY_DIR}/${binary})
  set_tests_properties(${test} PROPERTIES LABELS lockstep TIMEOUT ${WARPLADDER_HANGS_AFTER}
                       ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep;LOCKSTEP_CHECKS=all"
                       FAIL_REGULAR_EXPRESSION "lockstep: ")
endfunction()

# add_program_tests(BINARY LABELS labels): the program under three schedules, with checks if it is one of `checked`, and
# elsewhere if it is one of `served`.
function(add_program_tests binary)
  cmake_parse_arguments(PARSE_ARGV 1 run "" "" "LABELS")
  string(REGEX REPLACE "_all_types$" "" name ${binary})
  set(settings forward LOCKSTEP_SCHEDULE=forward reverse LOCKSTEP_SCHEDULE=reverse random:1 LOCKSTEP_SCHEDULE=random:1)
  if(name IN_LIST checked)
    list(APPEND settings checks LOCKSTEP_CHECKS=all)
  endif()
  while(settings)
    list(POP_FRONT settings kind setting)
    set(test lockstep.program.${binary}.${kind})
    add_test(NAME ${test} COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${binary})
    set_tests_properties(${test} PROPERTIES LABELS "${run_LABELS}" TIMEOUT ${WARPLADDER_HANGS_AFTER}
                         ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep;${setting}")
    if("long" IN_LIST run_LABELS)
      set_tests_properties(${test} PROPERTIES FIXTURES_REQUIRED long_programs TIMEOUT ${WARPLADDER_HANGS_AFTER})
    endif()
    if(kind STREQUAL "checks")
      set_tests_properties(${test} PROPERTIES FAIL_REGULAR_EXPRESSION "lockstep: ")
    endif()
  endwhile()
  if(name IN_LIST served)
    add_served_program_test(${binary})
  endif()
  if(WARPLADDER_GPU_ARCHS AND name IN_LIST on_card)
    add_test(NAME lockstep.program.${binary}.gpu COMMAND ${CMAKE_CURRENT_BINARY_DIR}/${binary})
    set_tests_properties(lockstep.program.${binary}.gpu PROPERTIES LABELS "lockstep;gpu" RESOURCE_LOCK gpu
                                                                   TIMEOUT ${WARPLADDER_HANGS_AFTER})
  endif()
endfunction()

# add_long_program(BINARY arguments of add_lockstep_program…): built on demand; its tests have the label long.
macro(add_long_program binary)
  add_lockstep_program(${ARGN})
  list(APPEND long_targets lockstep_program_${binary})
  list(APPEND long_binaries ${CMAKE_CURRENT_BINARY_DIR}/${binary})
  add_program_tests(${binary} LABELS lockstep long)
endmacro()

# nvcc needs minutes for CUB and Thrust. Always built: CUB's versions of the course's own algorithms, with one type of
# elements, and the programs for the oldest and the newest card. With the label `long`: all algorithms with all types,
# and the cards between.
set(always cub_histogram cub_reduce cub_scan)
file(GLOB programs CONFIGURE_DEPENDS programs/*.cu)
set(long_targets "")
set(program_binaries "")
set(long_binaries "")
foreach(program IN LISTS programs)
  cmake_path(GET program STEM name)
  file(STRINGS ${program} has_types LIMIT_COUNT 1 REGEX "#include \"algorithms.h\"")
  # A line "// Also for compute_80, compute_90" asks for binaries whose headers choose other instructions.
  # "// Only for" leaves out the binary for the oldest card.
  file(STRINGS ${program} line LIMIT_COUNT 1 REGEX "^// (Also|Only) for compute_")
  string(REGEX MATCHALL "[0-9]+" architectures "${line}")
  if(NOT line MATCHES "Only for")
    list(PREPEND architectures any)
  endif()
  # A line "// Flags: …" has flags of nvcc. Programs of -rdc=true need the device linker.
  file(STRINGS ${program} flags LIMIT_COUNT 1 REGEX "^// Flags: ")
  string(REPLACE "// Flags: " "" flags "${flags}")
  separate_arguments(flags)
  if("-rdc=true" IN_LIST flags AND NOT WARPLADDER_HAS_DEVICE_LINKER)
    continue()
  endif()
  foreach(architecture IN LISTS architectures)
    set(binary ${name})
    if(architecture STREQUAL "any")
      set(architecture "")
    else()
      string(APPEND binary _${architecture})
    endif()
    if(has_types)
      add_long_program(${binary}_all_types ${program} ${architecture} ON_DEMAND SUFFIX all_types FLAGS -DALL_TYPES)
    endif()
    if(architecture AND architecture LESS 90)
      add_long_program(${binary} ${program} ${architecture} ON_DEMAND FLAGS ${flags})
    elseif(NOT has_types OR name IN_LIST always)
      add_lockstep_program(${program} ${architecture} FLAGS ${flags})
      if(NOT architecture)
        list(APPEND program_binaries ${CMAKE_CURRENT_BINARY_DIR}/${binary})
      endif()
      add_program_tests(${binary} LABELS lockstep)
    elseif(NOT architecture)  # with one type of elements, for lockstep.ncu_equality.long_programs
      add_lockstep_program(${program} ON_DEMAND)
      list(APPEND long_targets lockstep_program_${binary})
    endif()
  endforeach()
endforeach()
# The approximations of all 2^32 floats.
add_test(NAME lockstep.program.approximations.all COMMAND ${CMAKE_CURRENT_BINARY_DIR}/approximations all)
set_tests_properties(lockstep.program.approximations.all PROPERTIES LABELS "lockstep;long" TIMEOUT ${WARPLADDER_HANGS_AFTER}
                     ENVIRONMENT "LD_LIBRARY_PATH=${CMAKE_BINARY_DIR}/lockstep")
add_custom_target(lockstep_long_programs DEPENDS ${long_targets})
add_test(NAME lockstep.long_programs COMMAND ${CMAKE_COMMAND} --build ${CMAKE_BINARY_DIR} --target lockstep_long_programs)
set_tests_properties(lockstep.long_programs PROPERTIES LABELS "lockstep;long" FIXTURES_SETUP long_programs TIMEOUT ${WARPLADDER_HANGS_AFTER})

if(Python3_FOUND)
  # These programs wait by the clock, so no two runs have the same counts.
  foreach(binaries IN ITEMS program_binaries long_binaries)
    list(FILTER ${binaries} EXCLUDE REGEX "standard_library|libcu_sync|pipelines")
  endforeach()
  set(labs "")
  if(WARPLADDER_LABS)
    set(labs --labs ${PROJECT_SOURCE_DIR}/labs ${CMAKE_BINARY_DIR}/labs)
  endif()
  add_test(NAME lockstep.threads.programs
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/engine/threads_programs.py ${CMAKE_BINARY_DIR}/lockstep
                   ${program_binaries} ${labs})
  set_tests_properties(lockstep.threads.programs PROPERTIES LABELS lockstep TIMEOUT ${WARPLADDER_HANGS_AFTER})
  add_test(NAME lockstep.threads.long_programs
           COMMAND ${Python3_EXECUTABLE} ${CMAKE_CURRENT_SOURCE_DIR}/engine/threads_programs.py ${CMAKE_BINARY_DIR}/lockstep
                   ${long_binaries})
  set_tests_properties(lockstep.threads.long_programs PROPERTIES LABELS "lockstep;long" TIMEOUT ${WARPLADDER_HANGS_AFTER}
                       FIXTURES_REQUIRED long_programs)
endif()
