# add_lockstep_program(FILE [ARCHITECTURE] [ON_DEMAND] [SUFFIX text] [FLAGS flags…] [LINK objects…]): a .cu file → an
# ordinary program as ./lab emulate needs it: with the shared runtime, and with PTX as plain text. The PTX is for
# cards since compute capability 7.5. If ARCHITECTURE is given, it is for that card, and the name of the binary ends in
# _ARCHITECTURE. If ON_DEMAND, the target `all` leaves it out. The RUNPATH comes after LD_LIBRARY_PATH, so that a program
# finds lockstep first if LD_LIBRARY_PATH names it. -O0 is for the host's code alone; no test depends on its speed.
# -g1 gives findings the lines of the host's calls.
function(add_lockstep_program source)
  cmake_parse_arguments(PARSE_ARGV 1 program "ON_DEMAND" "SUFFIX" "FLAGS;LINK")
  cmake_path(GET source STEM name)
  set(architecture ${WARPLADDER_NVCC_ARCH_FLAGS})
  if(program_UNPARSED_ARGUMENTS)
    set(wanted ${program_UNPARSED_ARGUMENTS})
    string(APPEND name _${wanted})
    set(architecture -gencode arch=compute_${wanted},code=compute_${wanted})
  endif()
  if(program_SUFFIX)
    string(APPEND name _${program_SUFFIX})
  endif()
  set(all ALL)
  if(program_ON_DEMAND)
    set(all "")
  endif()
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name})
  cmake_path(GET WARPLADDER_CUDART PARENT_PATH cudart_folder)
  add_custom_command(
    OUTPUT ${binary}
    COMMAND ${WARPLADDER_NVCC} -std=c++17 -O0 -I${PROJECT_SOURCE_DIR} -cudart shared --no-compress -lineinfo -Xcompiler -g1
            --extended-lambda
            ${architecture} ${program_FLAGS} -MD -MF ${binary}.d -MT ${binary} -o ${binary} ${source} ${program_LINK}
            -Xlinker --enable-new-dtags,-rpath,${cudart_folder}
    DEPENDS ${source} DEPFILE ${binary}.d
    COMMENT "nvcc ${name}" VERBATIM COMMAND_EXPAND_LISTS)
  add_custom_target(lockstep_program_${name} ${all} DEPENDS ${binary})
endfunction()
