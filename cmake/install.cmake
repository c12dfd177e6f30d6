# SPDX-License-Identifier: Apache-2.0
# `cmake --install BUILD --prefix DIR`: the command, the libraries, the headers, and how others find them.
include(CMakePackageConfigHelpers)
set(WEIR_CONFIG_FOLDER ${CMAKE_INSTALL_LIBDIR}/cmake/weir)

set(WEIR_INSTALLED weir)
set(WEIR_FIND_TBB "")
if(TARGET weir_tbb)
  list(APPEND WEIR_INSTALLED weir_tbb)
  # libweir.so lies beside it, wherever that is.
  set_target_properties(weir_tbb PROPERTIES INSTALL_RPATH $ORIGIN)
  set(WEIR_FIND_TBB "# The adapter links it; a program that uses weir::weir alone does without.\nfind_package(TBB QUIET)")
endif()
install(TARGETS ${WEIR_INSTALLED} EXPORT weirTargets LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS weir_preload LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS weir_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/weir DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT weirTargets NAMESPACE weir:: DESTINATION ${WEIR_CONFIG_FOLDER})

configure_package_config_file(${CMAKE_SOURCE_DIR}/cmake/weirConfig.cmake.in ${CMAKE_BINARY_DIR}/weirConfig.cmake
  INSTALL_DESTINATION ${WEIR_CONFIG_FOLDER} PATH_VARS CMAKE_INSTALL_LIBDIR CMAKE_INSTALL_BINDIR)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/weirConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/weirConfig.cmake ${CMAKE_BINARY_DIR}/weirConfigVersion.cmake
  DESTINATION ${WEIR_CONFIG_FOLDER})

file(RELATIVE_PATH WEIR_PC_INCLUDEDIR ${CMAKE_INSTALL_FULL_LIBDIR} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${CMAKE_SOURCE_DIR}/cmake/weir.pc.in ${CMAKE_BINARY_DIR}/weir.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/weir.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
if(TARGET weir_tbb)
  configure_file(${CMAKE_SOURCE_DIR}/cmake/weir_tbb.pc.in ${CMAKE_BINARY_DIR}/weir_tbb.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/weir_tbb.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endif()
