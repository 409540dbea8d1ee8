# What `cmake --install` puts in place: the stage libraries, their headers, the command, and a CMake package:
#
#   find_package(Trisweep CONFIG REQUIRED)
#   target_link_libraries(program PRIVATE Trisweep::trisweep)
#
# Included after src/trisweep and cli. The target's name in this tree is trisweep_library, aliased to the same
# Trisweep::trisweep (the plain name `trisweep` is the command's file).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

get_property(stages GLOBAL PROPERTY TRISWEEP_STAGES)
add_library(trisweep_library INTERFACE)
add_library(Trisweep::trisweep ALIAS trisweep_library)
set_target_properties(trisweep_library PROPERTIES EXPORT_NAME trisweep)
foreach(stage IN LISTS stages)
  string(REGEX REPLACE "^trisweep_" "" name ${stage})
  set_target_properties(${stage} PROPERTIES EXPORT_NAME ${name})
endforeach()
target_link_libraries(trisweep_library INTERFACE ${stages})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trisweep)
install(TARGETS trisweep_library ${stages} EXPORT TrisweepTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
if(TARGET trisweep_cli)
  install(TARGETS trisweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(EXPORT TrisweepTargets NAMESPACE Trisweep:: DESTINATION ${package_dir})
# The same package in the build tree, for the Python module.
export(EXPORT TrisweepTargets NAMESPACE Trisweep:: FILE ${PROJECT_BINARY_DIR}/TrisweepTargets.cmake)
configure_file(${CMAKE_CURRENT_LIST_DIR}/TrisweepDependencies.cmake ${PROJECT_BINARY_DIR} COPYONLY)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/src/trisweep DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.hpp")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TrisweepConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake ${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TrisweepDependencies.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
