# Cuda: finds nvcc 13 or later and its toolkit. Sets, for every other CMakeLists:
#   WARPLADDER_NVCC             the compiler
#   WARPLADDER_CUDA_VERSION     e.g. 13.0
#   WARPLADDER_CUDA_INCLUDE     the folder with cuda_runtime_api.h
#   WARPLADDER_CUDART           the toolkit's own libcudart.so.13
#   WARPLADDER_NVCC_ARCH_FLAGS  PTX for every card CUDA 13 knows, and machine code for WARPLADDER_GPU_ARCHS
#   WARPLADDER_PTXAS            the toolkit's assembler, and WARPLADDER_NVDISASM, its disassembler, from the toolkit or from
#                               its wheel; empty if there is none: then lockstep guesses what ptxas does
#   warpladder_cuda_headers     interface target: the toolkit's headers, as system headers
# Does not use CMake's own CUDA language: it fixes one set of flags for a whole build. But the judge must later compile
# a learner's file with exactly the flags of the lab.

# The toolkit's PyPI wheels, which ./lab installs on a machine that has no toolkit.
file(GLOB wheel_folders ${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/cu13/bin)
file(GLOB system_folders /usr/local/cuda/bin /usr/local/cuda-*/bin /opt/cuda/bin)
list(SORT system_folders COMPARE NATURAL ORDER DESCENDING)
find_program(WARPLADDER_NVCC nvcc PATHS ${system_folders} ${wheel_folders}
             DOC "nvcc, version 13.0 or later")
if(NOT WARPLADDER_NVCC)
  message(FATAL_ERROR "No nvcc found. ./lab demo installs one; or install CUDA 13 and set -DWARPLADDER_NVCC=/path/to/nvcc")
endif()

# Asks nvcc itself for its folders: that works for every layout and for wrapper scripts.
execute_process(COMMAND ${WARPLADDER_NVCC} --version OUTPUT_VARIABLE nvcc_version_text RESULT_VARIABLE nvcc_failed)
execute_process(COMMAND ${WARPLADDER_NVCC} --dryrun -x cu -c /dev/null -o /dev/null ERROR_VARIABLE nvcc_plan
                OUTPUT_QUIET)
if(NOT nvcc_failed AND nvcc_version_text MATCHES "release ([0-9]+\\.[0-9]+)")
  set(WARPLADDER_CUDA_VERSION ${CMAKE_MATCH_1})
else()
  message(FATAL_ERROR "${WARPLADDER_NVCC} --version says nothing of a release: ${nvcc_version_text}")
endif()
if(WARPLADDER_CUDA_VERSION VERSION_LESS 13.0)
  message(FATAL_ERROR "${WARPLADDER_NVCC} is CUDA ${WARPLADDER_CUDA_VERSION}; Warpladder needs 13.0 or later. "
                      "Set -DWARPLADDER_NVCC=/path/to/nvcc to another one.")
endif()

if(NOT "${WARPLADDER_NVCC}" STREQUAL "${WARPLADDER_NVCC_BEFORE}")  # else the cache keeps the old toolkit's headers
  unset(WARPLADDER_CUDA_INCLUDE CACHE)
  unset(WARPLADDER_CUDART CACHE)
  unset(WARPLADDER_PTXAS CACHE)
  unset(WARPLADDER_NVDISASM CACHE)
endif()
set(WARPLADDER_NVCC_BEFORE ${WARPLADDER_NVCC} CACHE INTERNAL "nvcc of the last configuration")

string(REGEX MATCHALL "-I[^\"]+" nvcc_include_flags "${nvcc_plan}")
string(REGEX MATCHALL "-L[^\"]+" nvcc_library_flags "${nvcc_plan}")
string(REGEX MATCH "TOP=([^\n]+)" nvcc_top "${nvcc_plan}")
set(nvcc_top "${CMAKE_MATCH_1}")
list(TRANSFORM nvcc_include_flags REPLACE "^-I" "")
list(TRANSFORM nvcc_library_flags REPLACE "^-L" "")
find_path(WARPLADDER_CUDA_INCLUDE cuda_runtime_api.h PATHS ${nvcc_include_flags} ${nvcc_top}/include
          NO_DEFAULT_PATH DOC "CUDA's headers")
find_file(WARPLADDER_CUDART libcudart.so.13 PATHS ${nvcc_library_flags} ${nvcc_top}/lib64 ${nvcc_top}/lib
          NO_DEFAULT_PATH DOC "The toolkit's own runtime library")
foreach(part IN ITEMS WARPLADDER_CUDA_INCLUDE WARPLADDER_CUDART)
  if(NOT ${part})
    message(FATAL_ERROR "${WARPLADDER_NVCC} stands alone: ${part} was not found beside it (looked in "
                        "${nvcc_include_flags};${nvcc_library_flags}). Install the whole toolkit, or set -D${part}=…")
  endif()
endforeach()
file(REAL_PATH ${WARPLADDER_CUDA_INCLUDE} cuda_include)
find_program(WARPLADDER_PTXAS ptxas PATHS ${nvcc_top}/bin NO_DEFAULT_PATH DOC "The toolkit's assembler")
find_program(WARPLADDER_NVDISASM nvdisasm PATHS ${nvcc_top}/bin ${wheel_folders} NO_DEFAULT_PATH
             DOC "The toolkit's disassembler")
foreach(tool IN ITEMS WARPLADDER_PTXAS WARPLADDER_NVDISASM)
  if(NOT ${tool})
    set(${tool} "")
  endif()
endforeach()
message(STATUS "CUDA ${WARPLADDER_CUDA_VERSION}: ${WARPLADDER_NVCC}")

add_library(warpladder_cuda_headers INTERFACE)
target_include_directories(warpladder_cuda_headers SYSTEM INTERFACE ${cuda_include})

set(WARPLADDER_NVCC_ARCH_FLAGS -gencode arch=compute_75,code=compute_75)
foreach(arch IN LISTS WARPLADDER_GPU_ARCHS)
  list(APPEND WARPLADDER_NVCC_ARCH_FLAGS -gencode arch=compute_${arch},code=sm_${arch})
endforeach()
