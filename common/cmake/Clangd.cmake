# Clangd: build/labs/compile_commands.json, from which clangd knows how to read the files of the labs. .clangd names it.
#
# CMake's own compile_commands.json cannot hold them: nvcc compiles the labs by commands of their own (AddLab.cmake), and
# clangd knows neither nvcc's options nor where the toolkit is. Each lab has two entries, its starter and its reference.
# For every other .cu file clangd takes the entry of a file nearby.

# Uses add_lab's variables.
function(warpladder_clangd_entries)
  if(is_opencl)
    set(flags -std=c++20 -I${PROJECT_SOURCE_DIR} -idirafter ${WARPLADDER_OPENCL_INCLUDE})
  else()
    set(path "")  # clang finds a CUDA that Debian has spread over /usr
    if(IS_DIRECTORY "${WARPLADDER_TOOLKIT}")
      set(path --cuda-path=${WARPLADDER_TOOLKIT})
    endif()
    # clang knows CUDA 13 by halves, and says so in each file if it may.
    set(flags -x cuda -std=c++20 ${path} --cuda-gpu-arch=sm_${arch} -Wno-unknown-cuda-version
        -I${PROJECT_SOURCE_DIR} -isystem ${cuda_include}/cccl
        -include ${PROJECT_SOURCE_DIR}/grader/tools/nvcc_builtins.h)
  endif()
  foreach(file IN ITEMS ${lab}/${source} ${PROJECT_SOURCE_DIR}/solutions/${name}/${source})
    if(NOT EXISTS ${file})  # a learners' repository has no solutions
      continue()
    endif()
    warpladder_json_array("clang++;${flags};-c;${file}" arguments)
    set_property(GLOBAL APPEND_STRING PROPERTY warpladder_clangd_entries
                 "{\"directory\": \"${CMAKE_BINARY_DIR}\", \"file\": \"${file}\", \"arguments\": ${arguments}},\n")
  endforeach()
endfunction()

function(write_clangd_entries)
  get_property(entries GLOBAL PROPERTY warpladder_clangd_entries)
  string(REGEX REPLACE ",\n$" "\n" entries "${entries}")
  file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/labs/compile_commands.json @ONLY CONTENT "[\n@entries@]\n")
endfunction()
