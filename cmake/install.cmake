# The installed library: find_package(dovetail), then link dovetail::dovetail.
include(CMakePackageConfigHelpers)
include(GNUInstallDirs)

install(TARGETS dovetail_core dovetail_io dovetail_draw dovetail_gen dovetail_planners dovetail_all
        EXPORT dovetailTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(TARGETS dovetail_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY include/dovetail DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT dovetailTargets NAMESPACE dovetail::
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dovetail)
configure_package_config_file(cmake/dovetailConfig.cmake.in ${PROJECT_BINARY_DIR}/dovetailConfig.cmake
        INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dovetail)
write_basic_package_version_file(${PROJECT_BINARY_DIR}/dovetailConfigVersion.cmake
        COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/dovetailConfig.cmake ${PROJECT_BINARY_DIR}/dovetailConfigVersion.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/dovetail)
