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
