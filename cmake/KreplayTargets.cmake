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
# gcc 12 takes "text" + std::string for a copy that may overlap, wherever it inlines it (gcc bug 105651, mended in 13).
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  target_compile_options(kreplay_flags INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-Wno-restrict>)
endif()
if(KREPLAY_SANITIZE)
  target_compile_options(kreplay_flags INTERFACE -fsanitize=${KREPLAY_SANITIZE} -fno-omit-frame-pointer
                         -fno-sanitize-recover=undefined)
  target_link_options(kreplay_flags INTERFACE -fsanitize=${KREPLAY_SANITIZE})
endif()
if(KREPLAY_FUZZ)
  target_compile_options(kreplay_flags INTERFACE -fsanitize=fuzzer-no-link)
endif()
if(KREPLAY_COVERAGE)
  target_compile_options(kreplay_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(kreplay_flags INTERFACE --coverage)
endif()

# Vendor headers (HSA, DRM, spdlog, nlohmann-json) are SYSTEM: their warnings are not ours.
add_library(kreplay_vendor_hsa INTERFACE)
target_include_directories(kreplay_vendor_hsa SYSTEM INTERFACE /usr/include)

# With KREPLAY_UNITY the sources of a target are compiled together, a few at a time, which halves the time of a
# build: headers are read once. Nothing depends on it. A target whose files use the same local names says SEPARATE.
function(kreplay_unity target separate)
  if(KREPLAY_UNITY AND NOT separate)
    set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    # To gcc the sources are headers now, whose classes should not use anonymous namespaces.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-subobject-linkage>)
  endif()
endfunction()

# kreplay_module(NAME PREFIX <folder as written in #include> SOURCES ... [DEPENDS ...] [SEPARATE])
#
# Makes a static library `kreplay_<NAME>` of the current folder. Its include directory holds one
# link, <PREFIX>, to this folder: a file can include "PREFIX/x.hpp" only if its target depends on
# this one, so an arrow the design does not have does not compile.
function(kreplay_module name)
  cmake_parse_arguments(ARG "SEPARATE" "PREFIX" "SOURCES;DEPENDS" ${ARGN})
  set(inc ${CMAKE_BINARY_DIR}/inc/${name})
  get_filename_component(parent ${inc}/${ARG_PREFIX} DIRECTORY)
  file(MAKE_DIRECTORY ${parent})
  file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${inc}/${ARG_PREFIX} SYMBOLIC)
  if(ARG_SOURCES)
    add_library(kreplay_${name} STATIC ${ARG_SOURCES})
    kreplay_unity(kreplay_${name} ${ARG_SEPARATE})
    target_include_directories(kreplay_${name} PUBLIC ${inc})
    target_link_libraries(kreplay_${name} PUBLIC ${ARG_DEPENDS} PRIVATE kreplay_flags)
  else()
    add_library(kreplay_${name} INTERFACE)
    target_include_directories(kreplay_${name} INTERFACE ${inc})
    target_link_libraries(kreplay_${name} INTERFACE ${ARG_DEPENDS})
  endif()
endfunction()

# kreplay_unit_test(NAME [PREFIX p] SOURCES ... DEPENDS ... [SEPARATE]): a Catch2 program run by ctest as PREFIX.NAME (unit.NAME).
function(kreplay_unit_test name)
  cmake_parse_arguments(ARG "SEPARATE" "PREFIX" "SOURCES;DEPENDS" ${ARGN})
  if(NOT ARG_PREFIX)
    set(ARG_PREFIX unit)
  endif()
  add_executable(${ARG_PREFIX}_${name} ${ARG_SOURCES})
  kreplay_unity(${ARG_PREFIX}_${name} ${ARG_SEPARATE})
  target_link_libraries(${ARG_PREFIX}_${name} PRIVATE kreplay_catch_main ${ARG_DEPENDS} kreplay_flags)
  add_test(NAME ${ARG_PREFIX}.${name} COMMAND ${ARG_PREFIX}_${name})
  set_tests_properties(${ARG_PREFIX}.${name} PROPERTIES TIMEOUT 300)
endfunction()

# kreplay_test_group(FOLDER): a target kreplay_tests_FOLDER that builds the programs FOLDER and FOLDER_* there, so
# that a build for a few tests needs nothing else.
function(kreplay_test_group folder)
  add_custom_target(kreplay_tests_${folder})
  set(left ${CMAKE_CURRENT_SOURCE_DIR}/${folder})
  while(left)
    list(POP_FRONT left at)
    get_property(below DIRECTORY ${at} PROPERTY SUBDIRECTORIES)
    list(APPEND left ${below})
    get_property(targets DIRECTORY ${at} PROPERTY BUILDSYSTEM_TARGETS)
    list(FILTER targets INCLUDE REGEX "^${folder}(_|$)")
    foreach(target ${targets})
      get_target_property(rare ${target} EXCLUDE_FROM_ALL)
      get_target_property(type ${target} TYPE)
      if(NOT rare AND type STREQUAL EXECUTABLE)
        add_dependencies(kreplay_tests_${folder} ${target})
      endif()
    endforeach()
  endwhile()
endfunction()
