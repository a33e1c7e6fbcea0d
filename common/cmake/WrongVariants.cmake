# WrongVariants: files of solutions/NN_name/wrong → binaries in build/labs/NN_name/wrong and tests wrong.NN.VARIANT.
#
# A variant is VARIANT.patch, one bug in the reference, or a whole file if its kernel is another one. Its first line is
# `caught by: CHECK`, optionally followed by `(on a card: CHECK)`; in a whole file it is a comment.
# grader/launcher/variants.py applies the patches: a patch that no longer fits the reference ends the build.
#
# The tests draw their inputs from one seed, so that a run is the same every time. The long test wrong.seeds takes other
# seeds: no variant may be caught by luck.
#
# All functions except add_tests_of_all_variants use add_lab's variables.

# labNN.wrong: build/labs/NN_name/wrong/VARIANT.cu from each patch. A file that does not change is not written again.
function(warpladder_patched_variants)
  cmake_path(GET source EXTENSION kind)
  file(GLOB patches CONFIGURE_DEPENDS ${solutions}/wrong/*.patch)
  if(NOT patches)
    return()
  endif()
  file(MAKE_DIRECTORY ${folder}/wrong)
  set(patched)
  foreach(patch IN LISTS patches)
    cmake_path(GET patch STEM variant)
    list(APPEND patched ${folder}/wrong/${variant}${kind})
  endforeach()
  add_custom_command(
    OUTPUT ${patched}
    COMMAND ${Python3_EXECUTABLE} -B -m launcher.variants ${solutions}/wrong ${folder}/wrong
    WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}/grader
    DEPENDS ${patches} ${solutions}/${source} ${PROJECT_SOURCE_DIR}/grader/launcher/variants.py
    COMMENT "Patching lab ${number}'s wrong variants" VERBATIM)
  add_custom_target(lab${number}.wrong ALL DEPENDS ${patched})
endfunction()

function(warpladder_wrong_tests suffix test)
  cmake_path(GET source EXTENSION kind)
  file(GLOB variants CONFIGURE_DEPENDS ${solutions}/wrong/*${kind} ${solutions}/wrong/*.patch)
  foreach(variant_file IN LISTS variants)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${variant_file})  # this script reads its first line
    warpladder_wrong_test(${variant_file} "${suffix}" "${test}")
  endforeach()
endfunction()

function(warpladder_wrong_test variant_file suffix test)
  cmake_path(GET variant_file STEM variant)
  warpladder_named_check(${variant_file} "${suffix}" check)
  if(suffix AND check MATCHES "^(luck$|rule\\.|finding\\.)")  # found by luck, or only by lockstep
    return()
  endif()
  set(binary ${folder}/wrong/${variant})
  if(NOT suffix)
    set_property(GLOBAL APPEND PROPERTY warpladder_wrong_tests wrong.${number}.${variant})
  endif()
  set(code ${variant_file})
  if(variant_file MATCHES "\\.patch$")
    set(code ${binary}${kind})
  endif()
  set(judged --binary ${binary})
  if(check STREQUAL "compile")  # the judge compiles it, and this must fail
    set(judged --file ${code})
  elseif(NOT TARGET lab${number}.wrong.${variant})
    warpladder_lab_binary(lab${number}.wrong.${variant} ${code} ${binary} ${contract} "${compile}" "${link}")
    if(TARGET lab${number}.wrong)
      add_dependencies(lab${number}.wrong.${variant} lab${number}.wrong)
    endif()
  endif()
  warpladder_lab_test(wrong.${number}.${variant}${suffix} ${test} ${judged} --expect ${check} --seed 7
                      --json ${binary}.${device}.json)
endfunction()

# The check that the variant's first line names: on a card (suffix is not empty) the check for cards.
function(warpladder_named_check variant_file suffix out)
  file(STRINGS ${variant_file} first_line LIMIT_COUNT 1)
  set(mark "// ")
  if(variant_file MATCHES "\\.patch$")
    set(mark "")
  endif()
  if(NOT first_line MATCHES "^${mark}caught by: ([a-z][^ ]*)( \\(on a card: ([^ ]+)\\))?$")
    message(FATAL_ERROR "${variant_file}: its first line must be `${mark}caught by: CHECK`, or `${mark}caught by: CHECK "
                        "(on a card: CHECK)`; docs/labs.md lists the checks.")
  endif()
  set(${out} ${CMAKE_MATCH_1} PARENT_SCOPE)
  if(suffix AND CMAKE_MATCH_3)
    set(${out} ${CMAKE_MATCH_3} PARENT_SCOPE)
  endif()
endfunction()

# Tests of all variants, after all wrong.*: wrong.all counts those that are caught by their check, wrong.advice reads what
# their learners are told.
function(add_tests_of_all_variants)
  get_property(tests GLOBAL PROPERTY warpladder_wrong_tests)
  if(NOT Python3_FOUND OR NOT tests)
    return()
  endif()
  set(grader_tests ${PROJECT_SOURCE_DIR}/grader/tests)
  set(kill_rate ${Python3_EXECUTABLE} ${grader_tests}/kill_rate.py ${PROJECT_SOURCE_DIR}/solutions ${CMAKE_BINARY_DIR})
  add_test(NAME wrong.all COMMAND ${kill_rate})
  add_test(NAME wrong.seeds COMMAND ${kill_rate} --fresh 4)
  add_test(NAME wrong.advice
           COMMAND ${Python3_EXECUTABLE} -B ${grader_tests}/messages/messages_test.py --advice ${CMAKE_BINARY_DIR})
  set_tests_properties(wrong.all wrong.seeds wrong.advice PROPERTIES LABELS lab DEPENDS "${tests}")
  set_tests_properties(wrong.seeds PROPERTIES LABELS "lab;lockstep;long" TIMEOUT 7200)
endfunction()
