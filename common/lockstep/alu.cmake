# lockstep_alu: the arithmetic of lockstep, a static library. Its handlers are vector loops, so on x86-64 their files are
# compiled twice, for SSE2 and for AVX2 with FMA, each in a namespace of its own; alu_table.cc picks one at run time.
# AVX-512 was tried: no faster where it matters.

set(LOCKSTEP_HANDLER_FILES
  ${CMAKE_CURRENT_LIST_DIR}/alu_compare.cc
  ${CMAKE_CURRENT_LIST_DIR}/alu_convert.cc
  ${CMAKE_CURRENT_LIST_DIR}/alu_float.cc
  ${CMAKE_CURRENT_LIST_DIR}/alu_half.cc
  ${CMAKE_CURRENT_LIST_DIR}/alu_int.cc)

# Optimised in every configuration: unoptimised, one warp instruction costs as much as forty. Registers change their type
# from one instruction to the next (no strict aliasing), and PTX says itself what is fused (no contraction).
set(LOCKSTEP_HANDLER_OPTIONS
  -Wall -Wextra -Wshadow -Wconversion -Werror
  -O3 -fno-strict-aliasing -ffp-contract=off -fno-math-errno -fno-trapping-math)

add_library(lockstep_alu STATIC ${CMAKE_CURRENT_LIST_DIR}/alu.cc ${CMAKE_CURRENT_LIST_DIR}/alu_table.cc)
target_compile_features(lockstep_alu PUBLIC cxx_std_20)
target_compile_options(lockstep_alu PRIVATE -Wall -Wextra -Wshadow -Wconversion -Werror)
target_include_directories(lockstep_alu PUBLIC ${CMAKE_CURRENT_LIST_DIR})
set_target_properties(lockstep_alu PROPERTIES POSITION_INDEPENDENT_CODE ON)

function(lockstep_add_handlers isa)  # further arguments: compiler options
  add_library(lockstep_alu_${isa} OBJECT ${LOCKSTEP_HANDLER_FILES})
  target_compile_features(lockstep_alu_${isa} PRIVATE cxx_std_20)
  target_compile_definitions(lockstep_alu_${isa} PRIVATE LOCKSTEP_ISA=${isa})
  target_compile_options(lockstep_alu_${isa} PRIVATE ${LOCKSTEP_HANDLER_OPTIONS} ${ARGN})
  set_target_properties(lockstep_alu_${isa} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  target_sources(lockstep_alu PRIVATE $<TARGET_OBJECTS:lockstep_alu_${isa}>)
endfunction()

if(WARPLADDER_SANITIZED)  # correctness, not speed, and sanitized -O3 loops take minutes to compile
  list(APPEND LOCKSTEP_HANDLER_OPTIONS -O1)
endif()
lockstep_add_handlers(baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT WARPLADDER_SANITIZED)
  lockstep_add_handlers(avx2 -march=x86-64-v3)
  target_compile_definitions(lockstep_alu PRIVATE LOCKSTEP_ALU_AVX2)
endif()

if(BUILD_TESTING)
  find_package(GTest REQUIRED)
  include(GoogleTest)
  set(LOCKSTEP_ALU_TESTS ${CMAKE_CURRENT_LIST_DIR}/tests)
  add_executable(lockstep_alu_test
    ${LOCKSTEP_ALU_TESTS}/alu_hardware_test.cc
    ${LOCKSTEP_ALU_TESTS}/alu_test.cc
    ${LOCKSTEP_ALU_TESTS}/arith_convert_test.cc
    ${LOCKSTEP_ALU_TESTS}/arith_float_test.cc
    ${LOCKSTEP_ALU_TESTS}/arith_int_test.cc
    ${LOCKSTEP_ALU_TESTS}/arith_special_test.cc
    ${CMAKE_CURRENT_LIST_DIR}/module.cc)
  # What a card answered, packed: unpacked it is ten times as large.
  set(answers ${LOCKSTEP_ALU_TESTS}/alu_hardware_h200.tar.xz)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${answers})
  file(ARCHIVE_EXTRACT INPUT ${answers} DESTINATION ${CMAKE_CURRENT_BINARY_DIR})
  target_compile_definitions(lockstep_alu_test
                             PRIVATE LOCKSTEP_ALU_ANSWERS="${CMAKE_CURRENT_BINARY_DIR}/alu_hardware_h200.txt")
  target_compile_options(lockstep_alu_test PRIVATE -Wall -Wextra -Wshadow -Werror -ffp-contract=off)
  target_link_libraries(lockstep_alu_test PRIVATE lockstep_alu GTest::gtest_main)
  gtest_discover_tests(lockstep_alu_test PROPERTIES LABELS lockstep)

  if(TARGET lockstep_alu_avx2 AND CMAKE_NM)
    add_test(NAME lockstep_alu_isolation
      COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} "-DOBJECTS=$<TARGET_OBJECTS:lockstep_alu_avx2>"
              -P ${LOCKSTEP_ALU_TESTS}/alu_isolation.cmake)
    set_tests_properties(lockstep_alu_isolation PROPERTIES LABELS lockstep)
  endif()
endif()
