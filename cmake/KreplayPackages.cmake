# Debian packages, one per component of KreplayInstall.cmake; scripts/package makes them.
set(KREPLAY_PACKAGE_CONTACT "The libkreplay authors <libkreplay@packages.invalid>" CACHE STRING
  "Name and address in the packages' Maintainer field")

set(CPACK_PACKAGE_NAME kreplay)
set(CPACK_PACKAGE_CONTACT ${KREPLAY_PACKAGE_CONTACT})
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_COMPONENTS_GROUPING ONE_PER_GROUP)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENTS_ALL)

# Copyright and change log, as each package must have them. Reproducible: gzip keeps no time.
function(kreplay_package_papers component package)
  set(papers ${CMAKE_BINARY_DIR}/papers)
  install(FILES ${papers}/copyright ${papers}/changelog.Debian.gz DESTINATION share/doc/${package}
    COMPONENT ${component})
endfunction()
file(READ ${PROJECT_SOURCE_DIR}/LICENSE licence)
string(REGEX MATCH "Copyright \\(c\\) ([^\n]*)\n+(.*)$" found "${licence}")
set(KREPLAY_COPYRIGHT ${CMAKE_MATCH_1})
string(STRIP "${CMAKE_MATCH_2}" KREPLAY_LICENCE)
string(REPLACE "\n\n" "\n.\n" KREPLAY_LICENCE "${KREPLAY_LICENCE}")
string(REPLACE "\n" "\n " KREPLAY_LICENCE "${KREPLAY_LICENCE}")
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/copyright.in ${CMAKE_BINARY_DIR}/papers/copyright @ONLY)
configure_file(${CMAKE_CURRENT_LIST_DIR}/debian/changelog.in ${CMAKE_BINARY_DIR}/papers/changelog.Debian @ONLY)
execute_process(COMMAND gzip -9nf ${CMAKE_BINARY_DIR}/papers/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)

# kreplay_package(COMPONENT NAME SUMMARY TEXT): what is in the package list.
macro(kreplay_package component package summary text)
  list(APPEND CPACK_COMPONENTS_ALL ${component})
  string(TOUPPER ${component} upper)
  set(CPACK_DEBIAN_${upper}_PACKAGE_NAME ${package})
  set(CPACK_COMPONENT_${upper}_DESCRIPTION "${summary}\n${text}")
  kreplay_package_papers(${component} ${package})
endmacro()
set(same "(= ${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")

kreplay_package(library libkreplay "kernel replay for AMD GPUs: preload library"
"Runs each selected kernel dispatch of a ROCm program several times on the
same inputs, inside the one run of the program, with device memory saved
before and put back between the passes. The library is in a private folder:
no program is given it that was not started for it.")
# Opened when it is there, for the call stacks of launches.
set(CPACK_DEBIAN_LIBRARY_PACKAGE_RECOMMENDS libunwind8)

kreplay_package(command kreplay "kernel replay for AMD GPUs: command"
"Measures the kernels of a ROCm program with libkreplay, reports the times as
tables, pages and databases, and compares runs: a performance gate for CI.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libkreplay ${same}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS kreplay-softgpu)

kreplay_package(dev libkreplay-dev "kernel replay for AMD GPUs: headers for tools"
"Headers of the tool interface, in a folder of their own beside those of
ROCprofiler-SDK, and the files that pkg-config and CMake find them by.")
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libkreplay ${same}")

kreplay_package(softgpu kreplay-softgpu "kernel replay for AMD GPUs: software GPU"
"Emulates an AMD GPU (gfx906) below the vendor's unmodified runtime, for runs
on machines that have none: kreplay run --device soft.")

install(DIRECTORY ${PROJECT_SOURCE_DIR}/docs/ DESTINATION share/doc/kreplay COMPONENT command FILES_MATCHING PATTERN "*.md")
install(FILES ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/CHANGELOG.md DESTINATION share/doc/kreplay
  COMPONENT command)
# Last, and in packages only: Debian wants manual pages and change logs compressed.
install(CODE "
  if(CMAKE_INSTALL_PREFIX STREQUAL /usr)
    set(share \$ENV{DESTDIR}/usr/share)
    file(RENAME \${share}/doc/kreplay/CHANGELOG.md \${share}/doc/kreplay/changelog)
    file(GLOB papers \${share}/man/man1/*.1 \${share}/doc/kreplay/changelog)
    execute_process(COMMAND gzip -9nf \${papers} COMMAND_ERROR_IS_FATAL ANY)
  endif()" COMPONENT command)

set(CPACK_GENERATOR DEB)
include(CPack)
