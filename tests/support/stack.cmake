# What tests on the whole stack share: the layer below libkreplay, the tool, and how programs are run.

find_package(Python3 REQUIRED COMPONENTS Interpreter)
# The interpreter itself: one that a version manager's script stands before takes half a second longer, per test.
execute_process(COMMAND ${Python3_EXECUTABLE} -c "import sys; print(sys.executable)"
                OUTPUT_VARIABLE python3 OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(Python3_EXECUTABLE ${python3})

# The counting and fault-injecting layer.
add_library(kreplay_e2e_counting SHARED ${CMAKE_CURRENT_LIST_DIR}/e2e_counting/counting.cpp
                                        ${CMAKE_CURRENT_LIST_DIR}/e2e_counting/faults.cpp
                                        ${CMAKE_CURRENT_LIST_DIR}/e2e_counting/system_calls.cpp)
target_include_directories(kreplay_e2e_counting PRIVATE ${PROJECT_SOURCE_DIR}/tests ${CMAKE_BINARY_DIR}/inc/hsa)
target_link_libraries(kreplay_e2e_counting PRIVATE kreplay_vendor_hsa kreplay_flags ${CMAKE_DL_LIBS} Threads::Threads)
set_target_properties(kreplay_e2e_counting PROPERTIES OUTPUT_NAME e2e-counting)

# The tool that hands its callbacks to the program; finds the library's functions in the preload.
add_library(kreplay_stack_tool MODULE ${CMAKE_CURRENT_LIST_DIR}/stack/stack_tool.cpp)
target_include_directories(kreplay_stack_tool PRIVATE ${PROJECT_SOURCE_DIR}/tests)
target_link_libraries(kreplay_stack_tool PRIVATE kreplay_public_headers kreplay_flags Threads::Threads)
set_target_properties(kreplay_stack_tool PROPERTIES OUTPUT_NAME stack-tool)

# With a sanitizer in the libraries its runtime has to be loaded before everything else.
set(kreplay_sanitizer_preload "")
foreach(sanitizer address thread undefined)
  if(KREPLAY_SANITIZE MATCHES ${sanitizer})
    set(short_address asan)
    set(short_thread tsan)
    set(short_undefined ubsan)
    execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${short_${sanitizer}}.so
                    OUTPUT_VARIABLE runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    if(IS_ABSOLUTE ${runtime})
      list(APPEND kreplay_sanitizer_preload ${runtime})
    endif()
  endif()
endforeach()
list(JOIN kreplay_sanitizer_preload ":" kreplay_sanitizer_preload)

if(NOT KREPLAY_E2E)
  return()
endif()
find_library(KREPLAY_HSA_RUNTIME hsa-runtime64 REQUIRED)

# Options of run-program: libkreplay, the layer, the software GPU; the code object of the HSA programs.
set(kreplay_code_object ${CMAKE_BINARY_DIR}/tests/e2e/kernels.O2.hsaco)
set(KREPLAY_STACK_SOFTGPU "" CACHE FILEPATH "libkreplay-softgpu.so of another build, below the tests on the whole stack")
set(kreplay_stack_softgpu ${KREPLAY_STACK_SOFTGPU})
if(NOT kreplay_stack_softgpu)
  set(kreplay_stack_softgpu $<TARGET_FILE:kreplay_softgpu>)
endif()
set(kreplay_stack_preload $<TARGET_FILE:kreplay> $<TARGET_FILE:kreplay_e2e_counting> ${kreplay_stack_softgpu})
if(kreplay_sanitizer_preload)
  list(PREPEND kreplay_stack_preload ${kreplay_sanitizer_preload})
endif()
list(JOIN kreplay_stack_preload ":" kreplay_stack_preload)
set(kreplay_stack_options --preload ${kreplay_stack_preload} --env E2E_CODE_OBJECT=${kreplay_code_object})
if(KREPLAY_FAULT_ALLOC)
  list(APPEND kreplay_stack_options --env KRTEST_STRICT=1)
endif()
if(KREPLAY_SANITIZE MATCHES address)
  list(APPEND kreplay_stack_options
       --env LSAN_OPTIONS=suppressions=${CMAKE_CURRENT_LIST_DIR}/vendor-leaks.supp:print_suppressions=0)
endif()
if(KREPLAY_SANITIZE MATCHES thread)
  set(kreplay_tsan_options "suppressions=${CMAKE_CURRENT_LIST_DIR}/vendor-races.supp:second_deadlock_stack=1")
  list(APPEND kreplay_stack_options --env TSAN_OPTIONS=${kreplay_tsan_options})
endif()

# A program that uses support/stack/stack.hpp.
function(kreplay_stack_program target)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/tests ${PROJECT_SOURCE_DIR}/tests/e2e)
  target_link_libraries(${target} PRIVATE ${KREPLAY_HSA_RUNTIME} kreplay_public_headers kreplay_vendor_hsa
                                          Threads::Threads ${CMAKE_DL_LIBS})
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow)
  add_dependencies(${target} e2e_code_objects kreplay kreplay_e2e_counting kreplay_stack_tool)
  if(NOT KREPLAY_STACK_SOFTGPU)
    add_dependencies(${target} kreplay_softgpu)
  endif()
endfunction()
