# Install: cmake --install BUILD --prefix P. The folder P may be moved afterwards: nothing in it names P or the build, and
# no library needs another one of it, so that none has a run path. ptxas and nvdisasm are those of this build's toolkit
# if they are still there, or else those of PATH.
#   P/bin/lockstep             runs anybody's CUDA program, as ./lab emulate does (Python 3.11)
#   P/lib/lockstep             libcudart.so.13, libcuda.so.1, device_server, ask_ptxas; and libcublas.so.13 and libcurand.so.10
#                              if the toolkit had their headers
#   P/lib/warpladder           the judge, and what bin/lockstep is made of
foreach(library IN ITEMS cudart_lockstep cuda_lockstep)
  install(TARGETS ${library} LIBRARY DESTINATION lib/lockstep)
endforeach()
foreach(library IN ITEMS lockstep_cublas_library lockstep_curand_library)
  if(TARGET ${library})
    install(TARGETS ${library} LIBRARY DESTINATION lib/lockstep)
  endif()
endforeach()
foreach(library IN ITEMS cudart_lockstep_12 lockstep_cublas_library_12)
  if(TARGET ${library})  # of a machine with CUDA 12 beside CUDA 13; built only if a program asks for it
    install(TARGETS ${library} LIBRARY DESTINATION lib/lockstep OPTIONAL)
  endif()
endforeach()
install(TARGETS device_server ask_ptxas RUNTIME DESTINATION lib/lockstep)
install(TARGETS judge RUNTIME DESTINATION lib/warpladder)
install(PROGRAMS ${PROJECT_SOURCE_DIR}/grader/launcher/templates/lockstep DESTINATION bin)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/grader/launcher DESTINATION lib/warpladder FILES_MATCHING PATTERN "*.py"
        PATTERN tests EXCLUDE PATTERN __pycache__ EXCLUDE PATTERN templates EXCLUDE)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/common/translation/messages DESTINATION lib/warpladder)
