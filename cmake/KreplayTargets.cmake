# Compiler settings and the one way a folder becomes a target.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Shared libraries and the command in one place each, so that one path per product is enough to use it.
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "Build type" FORCE)
endif()

add_library(kreplay_flags INTERFACE)
target_compile_options(kreplay_flags INTERFACE
  -Wall -Wextra -Wshadow -ffp-contract=off
  $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor> $<$<COMPILE_LANGUAGE:CXX>:-Woverloaded-virtual>
  $<$<BOOL:${KREPLAY_WERROR}>:-Werror>)
if(KREPLAY_SANITIZE)
  target_compile_options(kreplay_flags INTERFACE -fsanitize=${KREPLAY_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_options(kreplay_flags INTERFACE -fsanitize=${KREPLAY_SANITIZE})
endif()

# Vendor headers (HSA, DRM, spdlog, nlohmann-json) are SYSTEM: their warnings are not ours.
add_library(kreplay_vendor_hsa INTERFACE)
target_include_directories(kreplay_vendor_hsa SYSTEM INTERFACE /usr/include)

# kreplay_module(NAME PREFIX <folder as written in #include> SOURCES ... [DEPENDS ...])
#
# Makes a static library `kreplay_<NAME>` of the current folder. Its include directory holds one
# link, <PREFIX>, to this folder: a file can include "PREFIX/x.hpp" only if its target depends on
# this one, so an arrow the design does not have does not compile.
function(kreplay_module name)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPENDS" ${ARGN})
  set(inc ${CMAKE_BINARY_DIR}/inc/${name})
  get_filename_component(parent ${inc}/${ARG_PREFIX} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${inc}/${ARG_PREFIX} SYMBOLIC)
  if(ARG_SOURCES)
    add_library(kreplay_${name} STATIC ${ARG_SOURCES})
    target_include_directories(kreplay_${name} PUBLIC ${inc})
    target_link_libraries(kreplay_${name} PUBLIC ${ARG_DEPENDS} PRIVATE kreplay_flags)
  else()
    add_library(kreplay_${name} INTERFACE)
    target_include_directories(kreplay_${name} INTERFACE ${inc})
    target_link_libraries(kreplay_${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# kreplay_unit_test(NAME SOURCES ... DEPENDS ...): a Catch2 program run by ctest as unit.NAME.
function(kreplay_unit_test name)
  cmake_parse_arguments(ARG "" "PREFIX" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX unit)
  endif()
  add_executable(${ARG_PREFIX}_${name} ${ARG_SOURCES})
  target_link_libraries(${ARG_PREFIX}_${name} PRIVATE kreplay_catch_main ${ARG_DEPENDS} kreplay_flags)
  add_test(NAME ${ARG_PREFIX}.${name} COMMAND ${ARG_PREFIX}_${name})
  set_tests_properties(${ARG_PREFIX}.${name} PROPERTIES TIMEOUT 300)
endfunction()
