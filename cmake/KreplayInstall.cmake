# What an installation consists of: the libraries, the headers of the tool interface, kreplayConfig.cmake
# and kreplay.pc.
include(CMakePackageConfigHelpers)

set(KREPLAY_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/kreplay)
install(TARGETS kreplay kreplay_env kreplay_pattern kreplay_softgpu LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
# Tools carry DT_NEEDED librocprofiler-sdk.so.1; the loader finds it under that name.
install(CODE "file(CREATE_LINK libkreplay.so
  \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_LIBDIR}/librocprofiler-sdk.so.1\" SYMBOLIC)")
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/kreplayConfig.cmake.in
  ${CMAKE_BINARY_DIR}/kreplayConfig.cmake INSTALL_DESTINATION ${KREPLAY_CMAKE_DIR}
  PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_INCLUDEDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/kreplayConfigVersion.cmake COMPATIBILITY SameMinorVersion)
# From the .pc file up to the prefix, so that the tree can be installed or moved anywhere.
file(RELATIVE_PATH KREPLAY_PC_PREFIX /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${CMAKE_CURRENT_LIST_DIR}/kreplay.pc.in ${CMAKE_BINARY_DIR}/kreplay.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/kreplayConfig.cmake ${CMAKE_BINARY_DIR}/kreplayConfigVersion.cmake
  DESTINATION ${KREPLAY_CMAKE_DIR})
install(FILES ${CMAKE_BINARY_DIR}/kreplay.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
