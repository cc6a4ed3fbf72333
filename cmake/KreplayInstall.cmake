# What an installation consists of: the libraries, the headers of the tool interface, kreplayConfig.cmake
# and kreplay.pc. Each file belongs to a component, which becomes a package (KreplayPackages.cmake).
include(CMakePackageConfigHelpers)

# Never a folder that ldconfig looks at: it would register libkreplay.so by its SONAME, librocprofiler-sdk.so.1, and
# every program of the machine that is linked to AMD's library could be given ours. For the same reason the headers
# have a folder of their own.
set(KREPLAY_PRIVATE_LIBDIR ${CMAKE_INSTALL_LIBDIR}/kreplay)
set(KREPLAY_PRIVATE_INCLUDEDIR ${CMAKE_INSTALL_INCLUDEDIR}/kreplay)
set(KREPLAY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kreplay)
install(TARGETS kreplay kreplay_env kreplay_pattern
  LIBRARY DESTINATION ${KREPLAY_PRIVATE_LIBDIR} COMPONENT library)
install(TARGETS kreplay_softgpu LIBRARY DESTINATION ${KREPLAY_PRIVATE_LIBDIR} COMPONENT softgpu)
# Tools carry DT_NEEDED librocprofiler-sdk.so.1; with LD_LIBRARY_PATH the loader finds it under that name.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/link)
file(CREATE_LINK libkreplay.so ${CMAKE_BINARY_DIR}/link/librocprofiler-sdk.so.1 SYMBOLIC)
install(FILES ${CMAKE_BINARY_DIR}/link/librocprofiler-sdk.so.1 DESTINATION ${KREPLAY_PRIVATE_LIBDIR} COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${KREPLAY_PRIVATE_INCLUDEDIR} COMPONENT dev
  FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kreplayConfig.cmake.in
  ${CMAKE_BINARY_DIR}/kreplayConfig.cmake INSTALL_DESTINATION ${KREPLAY_CMAKE_DIR}
  PATH_VARS KREPLAY_PRIVATE_LIBDIR KREPLAY_PRIVATE_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kreplayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# From the .pc file up to the prefix, so that the tree can be installed or moved anywhere.
file(RELATIVE_PATH KREPLAY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/kreplay.pc.in ${CMAKE_BINARY_DIR}/kreplay.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kreplayConfig.cmake ${CMAKE_BINARY_DIR}/kreplayConfigVersion.cmake
  DESTINATION ${KREPLAY_CMAKE_DIR} COMPONENT dev)
install(FILES ${CMAKE_BINARY_DIR}/kreplay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT dev)
