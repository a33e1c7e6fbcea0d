# add_lockstep_program(FILE): a .cu file → an ordinary program, as ./lab emulate asks of any: the shared runtime, and
# PTX as plain text. The RUNPATH comes after LD_LIBRARY_PATH, so that lockstep goes first where it is asked for.
function(add_lockstep_program source)
  cmake_path(GET source STEM name)
  set(binary ${CMAKE_CURRENT_BINARY_DIR}/${name})
  cmake_path(GET WARPLADDER_CUDART PARENT_PATH cudart_folder)
  add_custom_command(
    OUTPUT ${binary}
    COMMAND ${WARPLADDER_NVCC} -std=c++17 -O2 -I${PROJECT_SOURCE_DIR} -cudart shared --compress-mode=none -lineinfo --extended-lambda
            ${WARPLADDER_NVCC_ARCH_FLAGS} -MD -MF ${binary}.d -MT ${binary} -o ${binary} ${source}
            -Xlinker --enable-new-dtags,-rpath,${cudart_folder}
    DEPENDS ${source} DEPFILE ${binary}.d
    COMMENT "nvcc ${name}.cu" VERBATIM)
  add_custom_target(lockstep_program_${name} ALL DEPENDS ${binary})
endfunction()
