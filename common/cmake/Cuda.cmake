# Cuda: finds nvcc 12.4 or later and its toolkit. Sets, for every other CMakeLists:
#   WARPLADDER_NVCC             the compiler
#   WARPLADDER_CUDA_VERSION     e.g. 13.0, and WARPLADDER_CUDA_MAJOR, 13
#   WARPLADDER_TOOLKIT          what a sandbox must show, beside /usr, for nvcc to run
#   WARPLADDER_CUDA_INCLUDE     the folder with cuda_runtime_api.h
#   WARPLADDER_CUDART           the toolkit's own libcudart.so.13, or .12
#   WARPLADDER_NVCC_ARCH_FLAGS  PTX for every card since compute capability 7.5, and machine code for WARPLADDER_GPU_ARCHS
#   WARPLADDER_PTXAS            the toolkit's assembler, and WARPLADDER_NVDISASM, its disassembler, from the toolkit or from
#                               its wheel; empty if there is none: then lockstep guesses what ptxas does
#   WARPLADDER_NVCC_12          an nvcc 12.4 or later of CUDA 12, which may be the same one; empty if there is none. If it is
#                               another one, WARPLADDER_CUDA_{VERSION,INCLUDE}_12 and WARPLADDER_CUDART_12 are of its toolkit
#   warpladder_cuda_headers     interface target: the toolkit's headers, as system headers
# Does not use CMake's own CUDA language: it fixes one set of flags for a whole build. But the judge must later compile
# a learner's file with exactly the flags of the lab.

set(oldest_cuda 12.4)

# Asks nvcc itself for its folders: that works for every layout and for wrapper scripts. Sets nvcc_version,
# nvcc_includes, nvcc_libraries, and nvcc_parts: the folder of the whole toolkit, or, where Debian has spread it over
# /usr, what lies outside of /usr.
function(warpladder_ask_nvcc nvcc)
  execute_process(COMMAND ${nvcc} --version OUTPUT_VARIABLE version RESULT_VARIABLE failed)
  execute_process(COMMAND ${nvcc} --dryrun -x cu -c /dev/null -o /dev/null ERROR_VARIABLE plan OUTPUT_QUIET)
  if(failed OR NOT version MATCHES "release ([0-9]+\\.[0-9]+)")
    message(FATAL_ERROR "${nvcc} --version says nothing of a release: ${version}")
  endif()
  set(nvcc_version ${CMAKE_MATCH_1} PARENT_SCOPE)
  string(REGEX MATCHALL "\"-[IL][^\"]+|-[IL][^\" \n]+" folders "${plan}")
  list(TRANSFORM folders REPLACE "^\"" "")
  set(includes ${folders})
  list(FILTER includes INCLUDE REGEX "^-I")
  list(FILTER folders INCLUDE REGEX "^-L")
  list(TRANSFORM includes REPLACE "^-I" "")
  list(TRANSFORM folders REPLACE "^-L" "")
  set(parts "")
  if(plan MATCHES "_HERE_=([^\n]+)")
    file(REAL_PATH ${CMAKE_MATCH_1}/nvcc.profile parts)
  endif()
  if(plan MATCHES "TOP=([^\n]+)")
    file(REAL_PATH ${CMAKE_MATCH_1} parts)
    list(APPEND includes ${parts}/include)
    list(APPEND folders ${parts}/lib64 ${parts}/lib)
  endif()
  set(nvcc_parts ${parts} PARENT_SCOPE)
  set(nvcc_includes ${includes} /usr/include PARENT_SCOPE)
  set(nvcc_libraries ${folders} PARENT_SCOPE)
endfunction()

# After it: finds the headers and libcudart of that nvcc.
macro(warpladder_find_toolkit suffix)
  find_path(WARPLADDER_CUDA_INCLUDE${suffix} cuda_runtime_api.h PATHS ${nvcc_includes} NO_DEFAULT_PATH
            DOC "The headers of CUDA ${nvcc_version}")
  string(REGEX MATCH "^[0-9]+" nvcc_major ${nvcc_version})
  find_file(WARPLADDER_CUDART${suffix} libcudart.so.${nvcc_major} PATHS ${nvcc_libraries} NO_DEFAULT_PATH
            DOC "The runtime library of CUDA ${nvcc_version}")
endmacro()

# The toolkit's PyPI wheels, which ./lab installs on a machine that has no toolkit.
file(GLOB wheel_folders ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/bin)
file(GLOB system_folders /usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin)
list(SORT system_folders COMPARE NATURAL ORDER DESCENDING)
find_program(WARPLADDER_NVCC nvcc PATHS ${system_folders} ${wheel_folders}
             DOC "nvcc, version ${oldest_cuda} or later")
if(NOT WARPLADDER_NVCC)
  message(FATAL_ERROR "No nvcc found. ./lab demo installs one; or install CUDA 13 and set -DWARPLADDER_NVCC=/path/to/nvcc")
endif()
warpladder_ask_nvcc(${WARPLADDER_NVCC})
if(nvcc_version VERSION_LESS oldest_cuda)
  message(FATAL_ERROR "${WARPLADDER_NVCC} is CUDA ${nvcc_version}; Warpladder needs ${oldest_cuda} or later. "
                      "Set -DWARPLADDER_NVCC=/path/to/nvcc to another one.")
endif()
set(WARPLADDER_CUDA_VERSION ${nvcc_version})

if(NOT WARPLADDER_NVCC STREQUAL WARPLADDER_NVCC_BEFORE)  # else the cache keeps the old toolkit's headers
  unset(WARPLADDER_CUDA_INCLUDE CACHE)
  unset(WARPLADDER_CUDART CACHE)
  unset(WARPLADDER_PTXAS CACHE)
  unset(WARPLADDER_NVDISASM CACHE)
  unset(WARPLADDER_HAS_CUPTI CACHE)
endif()
set(WARPLADDER_NVCC_BEFORE ${WARPLADDER_NVCC} CACHE INTERNAL "nvcc of the last configuration")

warpladder_find_toolkit("")
set(WARPLADDER_CUDA_MAJOR ${nvcc_major})
set(WARPLADDER_TOOLKIT ${nvcc_parts})
foreach(part IN ITEMS WARPLADDER_CUDA_INCLUDE WARPLADDER_CUDART)
  if(NOT ${part})
    message(FATAL_ERROR "${WARPLADDER_NVCC} stands alone: ${part} was not found beside it (looked in "
                        "${nvcc_includes};${nvcc_libraries}). Install the whole toolkit, or set -D${part}=…")
  endif()
endforeach()
file(REAL_PATH ${WARPLADDER_CUDA_INCLUDE} cuda_include)
file(REAL_PATH ${WARPLADDER_NVCC} nvcc_file)
cmake_path(GET nvcc_file PARENT_PATH nvcc_folder)
find_program(WARPLADDER_PTXAS ptxas PATHS ${nvcc_folder} NO_DEFAULT_PATH DOC "The toolkit's assembler")
find_program(WARPLADDER_NVDISASM nvdisasm PATHS ${nvcc_folder} ${wheel_folders} NO_DEFAULT_PATH
             DOC "The toolkit's disassembler")
foreach(tool IN ITEMS WARPLADDER_PTXAS WARPLADDER_NVDISASM)
  if(NOT ${tool})
    set(${tool} "")
  endif()
endforeach()
message(STATUS "CUDA ${WARPLADDER_CUDA_VERSION}: ${WARPLADDER_NVCC}")

add_library(warpladder_cuda_headers INTERFACE)
target_include_directories(warpladder_cuda_headers SYSTEM INTERFACE ${cuda_include})

# A card that is newer than nvcc translates the PTX itself.
execute_process(COMMAND ${WARPLADDER_NVCC} --list-gpu-arch OUTPUT_VARIABLE known_archs)
string(REGEX MATCHALL "[0-9]+" known_archs "${known_archs}")
set(WARPLADDER_NVCC_ARCH_FLAGS -gencode arch=compute_75,code=compute_75)
foreach(arch IN LISTS WARPLADDER_GPU_ARCHS)
  if(arch IN_LIST known_archs)
    list(APPEND WARPLADDER_NVCC_ARCH_FLAGS -gencode arch=compute_${arch},code=sm_${arch})
  else()
    message(STATUS "nvcc ${WARPLADDER_CUDA_VERSION} makes no machine code for compute capability ${arch} (as nvcc writes it)")
  endif()
endforeach()

# Programs of CUDA 12 ask for a library with another name. Where there is a CUDA 12, lockstep has that as well.
set(twelve_folders ${system_folders})
list(FILTER twelve_folders INCLUDE REGEX "/cuda-12\\.([4-9]|[1-9][0-9])/bin$")
if(WARPLADDER_CUDA_MAJOR EQUAL 12)
  set(WARPLADDER_NVCC_12 ${WARPLADDER_NVCC})
else()
  find_program(WARPLADDER_NVCC_12 nvcc PATHS ${twelve_folders} NO_DEFAULT_PATH DOC "nvcc of CUDA 12, 12.4 or later")
endif()
if(WARPLADDER_NVCC_12 AND NOT WARPLADDER_CUDA_MAJOR EQUAL 12)
  warpladder_ask_nvcc(${WARPLADDER_NVCC_12})
  warpladder_find_toolkit(_12)
  if(WARPLADDER_CUDA_INCLUDE_12 AND WARPLADDER_CUDART_12)
    message(STATUS "CUDA ${nvcc_version} beside it: ${WARPLADDER_NVCC_12}")
    set(WARPLADDER_CUDA_VERSION_12 ${nvcc_version})
  else()
    set(WARPLADDER_NVCC_12 "")
  endif()
endif()
