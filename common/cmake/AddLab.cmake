# AddLab: add_lab(FOLDER) turns labs/NN_name and solutions/NN_name into binaries, build.json and tests.
#
# Per lab, in build/labs/NN_name: `solution`, `starter`, the wrong variants (WrongVariants.cmake), and build.json, which
# holds the command lines used here, so that the judge compiles a learner's file as CMake compiled the solution; one
# program for each labs/NN_name/*.cc; and report.json (labNN.report) unless it is OpenCL.
# Tests, all labelled labNN and by device: binary.NN, solution.NN, schedule.NN, checks.NN, starter.NN, wrong.NN.VARIANT,
# program.NN.PROGRAM, picture.NN, for a histogram input.NN, and for OpenCL oclgrind.NN.SIZE; where WARPLADDER_GPU_ARCHS
# names a card, solution, starter and wrong a second time with the ending .gpu.
#
# A lab whose source ends in .cc is an OpenCL lab: the host's compiler replaces nvcc, and the OpenCL driver replaces the
# device. It has no schedule.NN, checks.NN or picture of a recording by lockstep. It is left out if OpenCL's headers,
# loader or drivers are missing.

find_package(Python3 3.11 COMPONENTS Interpreter)
include(WrongVariants)
include(Clangd)
# -lineinfo and -g1: a finding names the source line, in a kernel and in the code of the host.
set(lab_compile_flags -O3 -std=c++20 -cudart shared --no-compress -lineinfo -Xcompiler -g1
    -I${PROJECT_SOURCE_DIR})
set(lab_opencl_flags -O2 -std=c++20 -Wall -Wextra -I${PROJECT_SOURCE_DIR})
# Our own files have no warnings; a learner's may. A starter has parameters that are not used yet.
set(lab_strict_flags -Werror all-warnings -Xcompiler -Wall,-Wextra,-Wno-unused-parameter,-Werror)
set(lab_opencl_strict_flags -Wno-unused-parameter -Werror)

# The reference of the lab `name`: its solution, or in a learners' repository its object in baselines/. Empty: not here.
function(warpladder_reference name source out)
  set(${out} ${PROJECT_SOURCE_DIR}/solutions/${name}/${source} PARENT_SCOPE)
  if(WARPLADDER_WHOLE)
    return()
  endif()
  file(GLOB objects CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/baselines/${name}.*.o)
  list(LENGTH objects count)
  if(count GREATER 1)
    message(FATAL_ERROR "There are several compiled baselines of ${name}: ${objects}. Keep the one of the newest commit.")
  endif()
  set(${out} "${objects}" PARENT_SCOPE)
endfunction()

# Makes ["a","b"] from a list.
function(warpladder_json_array list out)
  list(TRANSFORM list REPLACE [[(["\\])]] [[\\\1]])
  list(JOIN list "\", \"" joined)
  set(${out} "[\"${joined}\"]" PARENT_SCOPE)
endfunction()

find_path(WARPLADDER_OPENCL_INCLUDE CL/opencl.hpp DOC "The folder with OpenCL's C++ bindings")
find_library(WARPLADDER_OPENCL OpenCL DOC "OpenCL's loader, which finds the drivers")
mark_as_advanced(WARPLADDER_OPENCL_INCLUDE WARPLADDER_OPENCL)
file(GLOB opencl_drivers /etc/OpenCL/vendors/*.icd)
if(DEFINED ENV{OCL_ICD_VENDORS})
  list(APPEND opencl_drivers $ENV{OCL_ICD_VENDORS})
endif()
set(has_opencl FALSE)
if(WARPLADDER_OPENCL_INCLUDE AND WARPLADDER_OPENCL AND opencl_drivers)
  set(has_opencl TRUE)
else()  # look again when something is installed
  file(GLOB opencl_folders /usr/include /usr/include/CL /etc /etc/OpenCL /etc/OpenCL/vendors)
  set_property(DIRECTORY ${PROJECT_SOURCE_DIR} APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${opencl_folders})
endif()

# compile and link: the command lines, with {source}, {object} and {binary} not yet replaced.
# A RUNPATH, unlike an RPATH, comes after LD_LIBRARY_PATH: lockstep is found first.
function(warpladder_lab_commands source contract arch out_compile out_link)
  set(rpath ${cudart_folder})
  set(opencl)
  if(source MATCHES "\\.cc$")
    set(opencl ${WARPLADDER_OPENCL})
    cmake_path(GET opencl PARENT_PATH opencl_folder)
    string(APPEND rpath ":${opencl_folder}")
    set(${out_compile} ${CMAKE_CXX_COMPILER} ${lab_opencl_flags} -idirafter ${WARPLADDER_OPENCL_INCLUDE} -c {source}
        -o {object} PARENT_SCOPE)
  else()
    set(arch_flags ${WARPLADDER_NVCC_ARCH_FLAGS})
    list(TRANSFORM arch_flags REPLACE "compute_75" "compute_${arch}")
    set(${out_compile} ${WARPLADDER_NVCC} ${lab_compile_flags} ${arch_flags} -c {source} -o {object} PARENT_SCOPE)
  endif()
  # Links the whole runner; otherwise a main in the lab's file would silently replace ours.
  set(${out_link} ${CMAKE_CXX_COMPILER} {object} -Wl,--whole-archive ${CMAKE_BINARY_DIR}/runner/librunner_${contract}.a
      -Wl,--no-whole-archive ${WARPLADDER_CUDART} ${opencl} -Wl,--enable-new-dtags,-rpath,${rpath} -o {binary}
      PARENT_SCOPE)
endfunction()

# One file → one binary. An object is only linked.
function(warpladder_lab_binary target source binary contract compile link)
  set(object ${binary}.o)
  if(source MATCHES "\\.cc$")
    set(object ${binary}.cc.o)  # nvcc made a .o, and it has PTX
  elseif(source MATCHES "\\.o$")
    set(object ${source})
  endif()
  list(TRANSFORM compile REPLACE "{source}" "${source}")
  list(TRANSFORM compile REPLACE "{object}" "${object}")
  list(TRANSFORM link REPLACE "{object}" "${object}")
  list(TRANSFORM link REPLACE "{binary}" "${binary}")
  cmake_path(GET binary PARENT_PATH folder)
  file(MAKE_DIRECTORY ${folder})
  if(NOT source STREQUAL object)
    add_custom_command(OUTPUT ${object} COMMAND ${compile} -MD -MF ${object}.d DEPENDS ${source} DEPFILE ${object}.d
                       COMMENT "Compiling ${source}" VERBATIM)
  endif()
  add_custom_command(OUTPUT ${binary} COMMAND ${link} DEPENDS ${object} runner_${contract} VERBATIM)
  add_custom_target(${target} ALL DEPENDS ${binary})
endfunction()

# One call of the judge as a test. ARGN: further arguments.
function(warpladder_lab_test name number lab build device)
  add_test(NAME ${name} COMMAND judge --lab ${lab} --build ${build} --device ${device} ${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "lab${number};${device}" TIMEOUT ${WARPLADDER_HANGS_AFTER})
  if(device STREQUAL gpu)
    set_tests_properties(${name} PROPERTIES RESOURCE_LOCK gpu)  # otherwise they disturb each other's times
  endif()
endfunction()

function(add_lab lab)
  if(WARPLADDER_SANITIZED)
    return()
  endif()
  cmake_path(GET lab FILENAME name)
  string(REGEX MATCH "^[0-9]+" number ${name})
  set(solutions ${PROJECT_SOURCE_DIR}/solutions/${name})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${lab}/lab.json)
  file(READ ${lab}/lab.json json)
  string(JSON contract GET "${json}" contract)
  string(JSON source GET "${json}" source)
  string(JSON starter_fails GET "${json}" starter_fails)
  string(JSON baseline GET "${json}" baseline)
  set(is_opencl FALSE)
  if(source MATCHES "\\.cc$")
    set(is_opencl TRUE)
  endif()
  if(is_opencl AND NOT has_opencl)
    message(STATUS "OpenCL is not here (Debian: opencl-clhpp-headers ocl-icd-opencl-dev pocl-opencl-icd): "
                   "${name} is left out")
    return()
  endif()
  string(JSON needed_nvcc ERROR_VARIABLE any_nvcc GET "${json}" nvcc)
  if(NOT any_nvcc AND WARPLADDER_CUDA_VERSION VERSION_LESS needed_nvcc)
    message(STATUS "nvcc ${WARPLADDER_CUDA_VERSION} is older than ${needed_nvcc}: ${name} is left out")
    return()
  endif()
  string(JSON arch ERROR_VARIABLE no_arch GET "${json}" arch)
  if(no_arch)
    set(arch 75)
  endif()

  set(folder ${CMAKE_BINARY_DIR}/labs/${name})
  cmake_path(GET WARPLADDER_CUDART PARENT_PATH cudart_folder)
  set(baseline_binary "")
  if(NOT baseline STREQUAL "cpu")
    file(GLOB baseline_lab ${PROJECT_SOURCE_DIR}/labs/${baseline}_*)
    cmake_path(GET baseline_lab FILENAME baseline_name)
    set(baseline_binary ${CMAKE_BINARY_DIR}/labs/${baseline_name}/solution)
    warpladder_reference(${baseline_name} ${source} baseline_reference)
    if(NOT baseline_reference)
      message(FATAL_ERROR "baselines/${baseline_name}.*.o is missing: lab ${number} is compared with it.")
    endif()
  endif()
  warpladder_lab_commands(${source} ${contract} ${arch} compile link)
  warpladder_json_array("${compile}" compile_json)
  warpladder_json_array("${link}" link_json)
  # The folders that the judge's sandboxes show in addition to /usr.
  file(GLOB headers CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/common/*.h ${PROJECT_SOURCE_DIR}/common/contracts/*.h)
  set(sees ${WARPLADDER_NVCC} ${WARPLADDER_TOOLKIT} ${cudart_folder} ${WARPLADDER_OPENCL_INCLUDE} ${WARPLADDER_OPENCL} ${headers}
      ${CMAKE_BINARY_DIR}/runner/librunner_${contract}.a ${CMAKE_BINARY_DIR}/lockstep/ask_ptxas ${WARPLADDER_NVDISASM})
  warpladder_json_array("${sees}" compiler_sees)
  warpladder_json_array("${cudart_folder};${WARPLADDER_OPENCL}" program_sees)
  file(CONFIGURE OUTPUT ${folder}/build.json @ONLY CONTENT
       "{\"compile\": @compile_json@,\n \"link\": @link_json@,\n \"compiler_sees\": @compiler_sees@,\n \"program_sees\": @program_sees@,\n \"lockstep\": \"@CMAKE_BINARY_DIR@/lockstep\",\n \"baseline\": \"@baseline_binary@\"}\n")

  # lab02: all targets that ./lab check 02 needs in addition to the judge.
  add_custom_target(lab${number} DEPENDS runner_${contract})
  warpladder_lab_programs()
  warpladder_clangd_entries()
  warpladder_reference(${name} ${source} reference)
  if(NOT reference)
    return()
  endif()
  set(strict ${compile} ${lab_strict_flags})
  if(is_opencl)
    set(strict ${compile} ${lab_opencl_strict_flags})
  endif()
  warpladder_lab_binary(lab${number}.solution ${reference} ${folder}/solution ${contract} "${strict}" "${link}")
  if(WARPLADDER_WHOLE)  # else it is the learner's own file
    warpladder_lab_binary(lab${number}.starter ${lab}/${source} ${folder}/starter ${contract} "${strict}" "${link}")
  endif()
  if(NOT is_opencl)
    warpladder_report(${number} ${lab} ${folder}/solution)
  endif()
  warpladder_patched_variants()

  set(devices lockstep)
  if(WARPLADDER_GPU_ARCHS)
    list(APPEND devices gpu)
  endif()
  foreach(device IN LISTS devices)
    set(suffix "")
    if(device STREQUAL gpu)
      set(suffix .gpu)
    endif()
    set(test ${number} ${lab} ${folder}/build.json ${device})
    warpladder_lab_test(solution.${number}${suffix} ${test} --binary ${folder}/solution --json ${folder}/solution.${device}.json
                        --hold reference)
    # On one seed: a starter's counters may depend on its random input.
    set(expected ${starter_fails})
    set(part)
    if(device STREQUAL gpu)  # without counters a broken rule passes; lockstep's findings depend on luck
      string(REGEX REPLACE "^rule\\..*" pass expected ${starter_fails})
      set(part --only correct)  # times never decide a test of a wrong variant
    endif()
    if(TARGET lab${number}.starter AND (device STREQUAL lockstep OR NOT expected MATCHES "^finding\\."))
      warpladder_lab_test(starter.${number}${suffix} ${test} --binary ${folder}/starter --expect ${expected}
                          --hold starter --seed 1 ${part})
    endif()
    warpladder_wrong_tests("${suffix}" "${test}")
  endforeach()

  if(contract MATCHES "^(histogram|words)$")  # the learner's own file
    warpladder_lab_test(input.${number} ${number} ${lab} ${folder}/build.json lockstep --binary ${folder}/solution
                        --input ${lab}/README.md)
  endif()
  add_test(NAME binary.${number} COMMAND ${PROJECT_SOURCE_DIR}/common/cmake/check_binary.sh ${folder}/solution ${is_opencl}
           ${WARPLADDER_CUDA_MAJOR})
  set_tests_properties(binary.${number} PROPERTIES LABELS lab${number})
  file(GLOB picture CONFIGURE_DEPENDS ${lab}/picture.py)
  if(picture)
    add_test(NAME picture.${number} WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
             COMMAND ${Python3_EXECUTABLE} -B -m common.pictures ${number} --check --build ${CMAKE_BINARY_DIR})
    set_tests_properties(picture.${number} PROPERTIES LABELS "lab${number};picture" SKIP_RETURN_CODE 77)
  endif()
  if(is_opencl)
    warpladder_oclgrind_test()
    return()
  endif()
  list(TRANSFORM schedule_seeds PREPEND "random:" OUTPUT_VARIABLE schedules)
  list(JOIN schedules "," schedules)
  warpladder_lab_test(schedule.${number} ${number} ${lab} ${folder}/build.json lockstep --binary ${folder}/solution
                      --schedules forward,reverse,${schedules})
  # Long: hostile.few judges honest submissions of many labs in this way as well, with smaller cases.
  warpladder_lab_test(checks.${number} ${number} ${lab} ${folder}/build.json lockstep --binary ${folder}/solution --thorough)
  set_tests_properties(checks.${number} PROPERTIES LABELS "lab${number};lockstep;long")
endfunction()

# labNN.report: lockstep's report on a solution's measured case, for the modelled speedups of the rungs above and for
# ./lab report. Made again when the solution, its lab.json (which names the measured case) or lockstep changes; the judge only reads it.
function(warpladder_report number lab solution)
  cmake_path(GET solution PARENT_PATH folder)
  add_custom_command(
    OUTPUT ${folder}/report.json
    COMMAND $<TARGET_FILE:judge> --lab ${lab} --build ${folder}/build.json --binary ${solution} --seed 1
            --report ${folder}/report.json
    DEPENDS ${solution} ${lab}/lab.json $<TARGET_FILE:cudart_lockstep>
    COMMENT "Modelling the times of lab ${number}'s solution" VERBATIM)
  add_custom_target(lab${number}.report ALL DEPENDS ${folder}/report.json)
  add_dependencies(lab${number}.report lab${number}.solution)
endfunction()

# Uses add_lab's variables. Each other .cc beside a handout is a separate program, which the handout runs.
function(warpladder_lab_programs)
  file(GLOB sources CONFIGURE_DEPENDS ${lab}/*.cc)
  list(REMOVE_ITEM sources ${lab}/${source})  # OpenCL's
  foreach(program_source IN LISTS sources)
    cmake_path(GET program_source STEM program)
    file(STRINGS ${program_source} uses_tbb REGEX "^#include <tbb/" LIMIT_COUNT 1)
    if(uses_tbb)
      find_package(TBB QUIET)
      if(NOT TBB_FOUND)
        message(STATUS "TBB is not here (Debian: libtbb-dev): ${program} of lab ${number} is left out")
        continue()
      endif()
    endif()
    set(target lab${number}.${program})
    add_executable(${target} ${program_source})
    target_compile_options(${target} PRIVATE -O3)
    target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR})
    target_link_libraries(${target} PRIVATE warpladder_warnings)
    if(uses_tbb)
      target_link_libraries(${target} PRIVATE TBB::tbb)
    endif()
    set_target_properties(${target} PROPERTIES OUTPUT_NAME ${program} RUNTIME_OUTPUT_DIRECTORY ${folder})
    add_dependencies(lab${number} ${target})
    add_test(NAME program.${number}.${program} COMMAND ${target} --check)
    set_tests_properties(program.${number}.${program} PROPERTIES LABELS lab${number} TIMEOUT ${WARPLADDER_HANGS_AFTER})
  endforeach()
endfunction()

# Uses add_lab's variables. Oclgrind, if it is installed, replaces the device. Like lockstep it finds races, accesses
# outside an array (also of a local array, which PoCL does not notice), and barriers that some work-items skip.
find_program(WARPLADDER_OCLGRIND oclgrind DOC "Oclgrind, which checks OpenCL kernels")
mark_as_advanced(WARPLADDER_OCLGRIND)
function(warpladder_oclgrind_test)
  if(NOT WARPLADDER_OCLGRIND)
    return()
  endif()
  string(JSON entry GET "${json}" entries 0)
  foreach(n IN ITEMS 1025 4097)
    add_test(NAME oclgrind.${number}.${n} COMMAND ${WARPLADDER_OCLGRIND} --data-races $<TARGET_FILE:judge> --lab ${lab}
             --build ${folder}/build.json --binary ${folder}/solution --case ${entry}.${n}.random)
    set_tests_properties(oclgrind.${number}.${n} PROPERTIES LABELS lab${number} TIMEOUT ${WARPLADDER_HANGS_AFTER}
                         FAIL_REGULAR_EXPRESSION "data race;Invalid;divergence;Out of bounds;exceeds")
  endforeach()
endfunction()

set(schedule_seeds 1 2 3 4 5 6 7 8 9 10)
