# Style: tests that the code follows .clang-format and ruff.toml, and the targets format and tidy. Other versions format
# differently, so clang-format must be version 14, as in Debian 12. If a program is missing, its test is skipped and
# says so.
file(GLOB wheel_programs ${PROJECT_SOURCE_DIR}/.venv/bin)
find_program(WARPLADDER_CLANG_FORMAT NAMES clang-format-14 clang-format PATHS ${wheel_programs})
find_program(WARPLADDER_RUFF ruff PATHS ${wheel_programs})
find_program(WARPLADDER_CLANG_TIDY NAMES clang-tidy-14 clang-tidy)

foreach(tool IN ITEMS clang-format ruff)
  string(TOUPPER WARPLADDER_${tool} program)
  string(REPLACE "-" "_" program ${program})
  add_test(NAME style.${tool} COMMAND ${PROJECT_SOURCE_DIR}/common/cmake/check_style.sh ${tool} ${${program}}
           WORKING_DIRECTORY ${PROJECT_SOURCE_DIR})
  set_tests_properties(style.${tool} PROPERTIES LABELS style SKIP_RETURN_CODE 77)
endforeach()

if(WARPLADDER_CLANG_FORMAT)
  add_custom_target(format COMMAND common/cmake/check_style.sh clang-format ${WARPLADDER_CLANG_FORMAT} --fix
                    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR} VERBATIM)
endif()
if(WARPLADDER_CLANG_TIDY)
  # Only for our host code; nvcc compiles the kernels. It takes minutes, so it is not part of a build.
  file(GLOB_RECURSE tidy_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/lockstep/*.cc
       ${PROJECT_SOURCE_DIR}/grader/*.cc)
  add_custom_target(tidy COMMAND ${WARPLADDER_CLANG_TIDY} -p ${PROJECT_BINARY_DIR} --quiet ${tidy_sources} VERBATIM)
endif()

# CMake takes a variable that nobody has set for an empty text. So a variable that got another name leaves an option
# without its value.
if(BUILD_TESTING)
  set(tree ${PROJECT_BINARY_DIR}/uninitialized)
  add_test(NAME style.cmake COMMAND ${CMAKE_COMMAND} -S ${PROJECT_SOURCE_DIR} -B ${tree} --fresh -G ${CMAKE_GENERATOR}
                                    -DWARPLADDER_NVCC=${WARPLADDER_NVCC} --warn-uninitialized)
  set_tests_properties(style.cmake PROPERTIES LABELS style FAIL_REGULAR_EXPRESSION "uninitialized variable")
endif()
