# add_lockstep_program(FILE [ARCHITECTURE] [LINK objects…]): a .cu file → an ordinary program, as ./lab emulate needs
# it: it uses the shared runtime and holds PTX as plain text, for all cards of CUDA 13. With ARCHITECTURE it holds PTX
# only for that one, and the binary is called FILE's name and _ARCHITECTURE. The RUNPATH comes after LD_LIBRARY_PATH, so
# a test can put lockstep first. -O1 concerns only the host's code, whose speed does not matter here.
function(add_lockstep_program source)
  cmake_parse_arguments(PARSE_ARGV 1 program "" "" "LINK")
  cmake_path(GET source STEM name)
  set(architecture ${WARPLADDER_NVCC_ARCH_FLAGS})
  if(program_UNPARSED_ARGUMENTS)
    set(wanted ${program_UNPARSED_ARGUMENTS})
    string(APPEND name _${wanted})
    set(architecture -gencode arch=compute_${wanted},code=compute_${wanted})
  endif()
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name})
  cmake_path(GET WARPLADDER_CUDART PARENT_PATH cudart_folder)
  add_custom_command(
    OUTPUT ${binary}
    COMMAND ${WARPLADDER_NVCC} -std=c++17 -O1 -I${PROJECT_SOURCE_DIR} -cudart shared --compress-mode=none -lineinfo --extended-lambda
            ${architecture} -MD -MF ${binary}.d -MT ${binary} -o ${binary} ${source} ${program_LINK}
            -Xlinker --enable-new-dtags,-rpath,${cudart_folder}
    DEPENDS ${source} DEPFILE ${binary}.d
    COMMENT "nvcc ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(lockstep_program_${name} ALL DEPENDS ${binary})
endfunction()
