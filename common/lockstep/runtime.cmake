# runtime: the drop-in libcudart.so.13 and its tests. LD_LIBRARY_PATH=<build>/lockstep puts a program on lockstep.
set(runtime_folder ${CMAKE_CURRENT_LIST_DIR})
set(runtime_generated ${CMAKE_CURRENT_BINARY_DIR}/runtime_generated)
set(runtime_generated_files ${runtime_generated}/runtime_stubs.cc ${runtime_generated}/cuda_error_names.inc
                            ${runtime_generated}/cudart_exports.txt)
add_custom_command(
  OUTPUT ${runtime_generated_files}
  COMMAND ${CMAKE_COMMAND} -DCUDART=${WARPLADDER_CUDART} -DNM=${CMAKE_NM}
          -DDRIVER_TYPES=${WARPLADDER_CUDA_INCLUDE}/driver_types.h -DOUT=${runtime_generated}
          -P ${runtime_folder}/runtime_stubs.cmake
  DEPENDS ${runtime_folder}/runtime_stubs.cmake ${WARPLADDER_CUDART}
          ${WARPLADDER_CUDA_INCLUDE}/driver_types.h
  COMMENT "Listing what the toolkit's libcudart.so.13 exports")

add_library(lockstep_fatbin STATIC ${runtime_folder}/fatbin.cc)
target_include_directories(lockstep_fatbin PUBLIC ${runtime_folder})
target_link_libraries(lockstep_fatbin PRIVATE warpladder_warnings)

# Objects, for they go into two places: the shared library and a test that needs no nvcc.
set(runtime_subjects copy device error function launch memory pool registration stream)
list(TRANSFORM runtime_subjects PREPEND ${runtime_folder}/runtime_api_)
list(TRANSFORM runtime_subjects APPEND .cc)
add_library(lockstep_runtime OBJECT ${runtime_folder}/runtime_api.cc ${runtime_subjects} ${runtime_generated_files})
target_include_directories(lockstep_runtime PRIVATE ${runtime_generated} INTERFACE ${runtime_folder})
target_link_libraries(lockstep_runtime PUBLIC lockstep_engine lockstep_fatbin warpladder_cuda_headers
                                       PRIVATE warpladder_warnings)
# As in the engine: GCC 12 sees overlaps in "text" + std::string that are not there.
target_compile_options(lockstep_runtime PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
set_target_properties(lockstep_runtime PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)

# Programs ask for this very name and version node; a link of another name would never be found.
set(runtime_map ${runtime_folder}/runtime.map)
add_library(cudart_lockstep SHARED $<TARGET_OBJECTS:lockstep_runtime>)
target_link_libraries(cudart_lockstep PRIVATE lockstep_engine lockstep_fatbin)
target_link_options(cudart_lockstep PRIVATE LINKER:--version-script=${runtime_map} LINKER:-z,defs LINKER:-z,nodelete
                                            LINKER:-soname,libcudart.so.13)
set_target_properties(cudart_lockstep PROPERTIES
  LINKER_LANGUAGE CXX OUTPUT_NAME cudart SUFFIX .so.13 NO_SONAME TRUE
  LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lockstep LINK_DEPENDS ${runtime_map})
add_dependencies(cudart_lockstep device_server)

if(NOT BUILD_TESTING)
  return()
endif()
find_package(GTest REQUIRED)
include(GoogleTest)
add_executable(lockstep_runtime_test ${runtime_folder}/tests/fatbin_test.cc ${runtime_folder}/tests/runtime_api_test.cc)
target_link_libraries(lockstep_runtime_test PRIVATE lockstep_runtime nlohmann_json::nlohmann_json GTest::gtest_main warpladder_warnings warpladder_quick)
gtest_discover_tests(lockstep_runtime_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS lockstep TIMEOUT 60)
# The same, with the device in a process of its own.
gtest_discover_tests(lockstep_runtime_test TEST_PREFIX device_server. TEST_FILTER RuntimeApi.* DISCOVERY_MODE PRE_TEST
                     PROPERTIES LABELS lockstep TIMEOUT 60
                                ENVIRONMENT LOCKSTEP_DEVICE_SERVER=${CMAKE_BINARY_DIR}/lockstep/device_server)
add_dependencies(lockstep_runtime_test device_server)

if(WARPLADDER_SANITIZED)
  return()  # a program that nvcc built does not load a sanitizer's runtime first
endif()

# add_runtime_program(NAME SOURCES files FLAGS flags [STATIC_RUNTIME] [SEPARATE]): builds a program with nvcc for the
# test below; SEPARATE compiles its files with -rdc=true.
set(runtime_programs ${CMAKE_CURRENT_BINARY_DIR}/runtime_programs)
set(runtime_ptx --compress-mode=none -lineinfo -gencode arch=compute_75,code=compute_75)
cmake_path(GET WARPLADDER_CUDART PARENT_PATH runtime_cudart_folder)
function(add_runtime_program name)
  cmake_parse_arguments(PARSE_ARGV 1 program "STATIC_RUNTIME;SEPARATE" "" "SOURCES;FLAGS")
  set(nvcc ${WARPLADDER_NVCC} -std=c++17 -cudart shared ${program_FLAGS})
  if(program_SEPARATE)
    list(APPEND nvcc -rdc=true)
  endif()
  file(GLOB headers CONFIGURE_DEPENDS ${runtime_folder}/tests/${name}*.h)
  set(objects "")
  foreach(source IN LISTS program_SOURCES)
    set(object ${runtime_programs}/${name}.${source}.o)
    add_custom_command(OUTPUT ${object} COMMAND ${nvcc} -c ${runtime_folder}/tests/${source} -o ${object}
                       DEPENDS ${runtime_folder}/tests/${source} ${headers} COMMENT "nvcc ${name}" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(linked ${objects})
  if(program_SEPARATE)
    set(device_link ${runtime_programs}/${name}.link.o)
    add_custom_command(OUTPUT ${device_link} COMMAND ${nvcc} -dlink ${objects} -o ${device_link} DEPENDS ${objects} VERBATIM)
    list(APPEND linked ${device_link})
  endif()
  set(runtime_library ${WARPLADDER_CUDART} -Wl,--enable-new-dtags,-rpath,${runtime_cudart_folder})
  if(program_STATIC_RUNTIME)
    set(runtime_library ${runtime_cudart_folder}/libcudart_static.a -ldl -lpthread -lrt)
  endif()
  if(program_SEPARATE)
    list(PREPEND runtime_library ${runtime_cudart_folder}/libcudadevrt.a)
  endif()
  set(binary ${runtime_programs}/${name})
  add_custom_command(OUTPUT ${binary} COMMAND ${CMAKE_CXX_COMPILER} ${linked} ${runtime_library} -o ${binary}
                     DEPENDS ${linked} VERBATIM)
  set_property(GLOBAL APPEND PROPERTY runtime_program_files ${binary})
endfunction()

file(MAKE_DIRECTORY ${runtime_programs})
add_runtime_program(runtime_errors SOURCES runtime_errors.cu FLAGS ${runtime_ptx})
add_runtime_program(runtime_data SOURCES runtime_data.cu FLAGS ${runtime_ptx})
add_runtime_program(runtime_data_per_thread SOURCES runtime_data.cu FLAGS ${runtime_ptx} --default-stream per-thread)
if(EXISTS ${runtime_cudart_folder}/libcudart_static.a)
  add_runtime_program(runtime_static SOURCES runtime_no_image.cu FLAGS ${runtime_ptx} STATIC_RUNTIME)
endif()
add_runtime_program(runtime_machine_code SOURCES runtime_no_image.cu FLAGS -gencode arch=compute_75,code=sm_75)
add_runtime_program(runtime_zstd SOURCES runtime_no_image.cu FLAGS -gencode arch=compute_75,code=compute_75)
add_runtime_program(runtime_lz4 SOURCES runtime_no_image.cu
                    FLAGS --compress-mode=speed -gencode arch=compute_75,code=compute_75)
add_runtime_program(runtime_too_new SOURCES runtime_no_image.cu
                    FLAGS --compress-mode=none -gencode arch=compute_120,code=compute_120)
file(REAL_PATH ${WARPLADDER_NVCC} runtime_nvcc)
cmake_path(GET runtime_nvcc PARENT_PATH runtime_nvcc_folder)
if(EXISTS ${runtime_nvcc_folder}/nvlink AND EXISTS ${runtime_cudart_folder}/libcudadevrt.a)
  add_runtime_program(runtime_separate SOURCES runtime_separate.cu runtime_separate_functions.cu FLAGS ${runtime_ptx}
                      SEPARATE)
  add_runtime_program(runtime_separate_missing SOURCES runtime_separate_missing.cu FLAGS ${runtime_ptx} SEPARATE)
endif()
get_property(runtime_program_files GLOBAL PROPERTY runtime_program_files)
add_custom_target(lockstep_runtime_programs ALL DEPENDS ${runtime_program_files})

add_executable(lockstep_runtime_program_test ${runtime_folder}/tests/runtime_program_test.cc)
target_compile_definitions(lockstep_runtime_program_test PRIVATE
  PROGRAM_FOLDER="${runtime_programs}" LIBRARY_FOLDER="${CMAKE_BINARY_DIR}/lockstep"
  SOURCE_FOLDER="${runtime_folder}/tests" EXPORT_LIST="${runtime_generated}/cudart_exports.txt")
target_link_libraries(lockstep_runtime_program_test PRIVATE GTest::gtest_main warpladder_warnings warpladder_quick ${CMAKE_DL_LIBS})
add_dependencies(lockstep_runtime_program_test lockstep_runtime_programs cudart_lockstep)
gtest_discover_tests(lockstep_runtime_program_test DISCOVERY_MODE PRE_TEST PROPERTIES LABELS lockstep TIMEOUT 120)
