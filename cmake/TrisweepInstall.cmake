# What `cmake --install` puts in place: the stage libraries, the public headers, the command, and a CMake package:
#
#   find_package(Trisweep CONFIG REQUIRED COMPONENTS hmatrix)
#   target_link_libraries(program PRIVATE Trisweep::trisweep Trisweep::hmatrix)
#
# H-matrices are a component of their own: what they alone need is asked of nobody else.
#
# Included after src/trisweep and cli. The target's name in this tree is trisweep_library, aliased to the same
# Trisweep::trisweep (the plain name `trisweep` is the command's file).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TRISWEEP_PUBLIC_HEADERS
  solver.hpp sptrsv.hpp hmatrix.hpp version.hpp
  # What callers have at hand: files, threads, timing, records, and vectors of devices.
  core/clock.hpp core/thread_pool.hpp matrix/io.hpp numeric/blas_threads.hpp engine/device_refinement.hpp
  engine/profile.hpp engine/recorder.hpp report/run_record.hpp
  # The stages of a solver apart.
  solve/triangular_solver.hpp solve/refinement.hpp)

get_property(stages GLOBAL PROPERTY TRISWEEP_STAGES)
add_library(trisweep_library INTERFACE)
add_library(Trisweep::trisweep ALIAS trisweep_library)
set_target_properties(trisweep_library PROPERTIES EXPORT_NAME trisweep)
foreach(stage IN LISTS stages)
  string(REGEX REPLACE "^trisweep_" "" name ${stage})
  set_target_properties(${stage} PROPERTIES EXPORT_NAME ${name})
endforeach()
list(REMOVE_ITEM stages trisweep_hmatrix)
target_link_libraries(trisweep_library INTERFACE ${stages})

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trisweep)
install(TARGETS trisweep_library ${stages} EXPORT TrisweepTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
set(exports TrisweepTargets)
if(TARGET trisweep_hmatrix)
  install(TARGETS trisweep_hmatrix EXPORT TrisweepHmatrixTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  list(APPEND exports TrisweepHmatrixTargets)
else()
  list(FILTER TRISWEEP_PUBLIC_HEADERS EXCLUDE REGEX "^hmatrix")
endif()
if(TARGET trisweep_cli)
  install(TARGETS trisweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
# The same package in the build tree, for the Python module.
foreach(targets IN LISTS exports)
  install(EXPORT ${targets} NAMESPACE Trisweep:: DESTINATION ${package_dir})
  export(EXPORT ${targets} NAMESPACE Trisweep:: FILE ${PROJECT_BINARY_DIR}/${targets}.cmake)
endforeach()
configure_file(${CMAKE_CURRENT_LIST_DIR}/TrisweepDependencies.cmake ${PROJECT_BINARY_DIR} COPYONLY)
# What programs include; with it comes what it includes.
list(TRANSFORM TRISWEEP_PUBLIC_HEADERS PREPEND trisweep/ OUTPUT_VARIABLE public_headers)
install(CODE "
  include(${CMAKE_CURRENT_LIST_DIR}/TrisweepHeaders.cmake)
  trisweep_install_headers(SOURCE ${PROJECT_SOURCE_DIR}/src DESTINATION \"\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_INCLUDEDIR}\"
                           HEADERS ${public_headers})
")

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TrisweepConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake ${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TrisweepDependencies.cmake
        DESTINATION ${package_dir})
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
