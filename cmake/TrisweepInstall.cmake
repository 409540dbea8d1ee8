# What `cmake --install` puts in place: the public headers, the command, and the library: the static ones of the
# stages or, with BUILD_SHARED_LIBS, libtrisweep.so and libtrisweep_hmatrix.so. Programs find it by CMake
#
#   find_package(Trisweep CONFIG REQUIRED COMPONENTS hmatrix)
#   target_link_libraries(program PRIVATE Trisweep::trisweep Trisweep::hmatrix)
#
# or by pkg-config [--static] trisweep, trisweep-hmatrix, trisweep-superlu_dist. H-matrices and files, and
# factorizations by SuperLU_DIST (superlu_dist), are components of their own: what they alone need is asked of nobody
# else.
#
# Included after src/trisweep and cli. The target's name in this tree is trisweep_library (the plain name `trisweep`
# is the command's file).
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(TRISWEEP_PUBLIC_HEADERS
  solver.hpp sptrsv.hpp hmatrix.hpp superlu_dist.hpp version.hpp
  # What callers have at hand: files, threads, timing, records, and vectors of devices.
  core/clock.hpp core/thread_pool.hpp matrix/io.hpp measure/machine.hpp numeric/blas_threads.hpp
  backend/memory.hpp engine/profile.hpp engine/recorder.hpp report/run_record.hpp
  # The stages of a solver apart.
  solve/triangular_solver.hpp solve/refinement.hpp solve/lu_source.hpp solve/factor_engine.hpp storage/factor_file.hpp)

get_property(stages GLOBAL PROPERTY TRISWEEP_STAGES)
list(REMOVE_ITEM stages trisweep_storage trisweep_hmatrix trisweep_superlu_dist)
if(TARGET trisweep_superlu_dist)
  list(APPEND TRISWEEP_PUBLIC_HEADERS superlu_dist/engine.hpp)
endif()

# What a stage links that is not ours.
function(trisweep_external_libraries result stage)
  get_target_property(libraries ${stage} INTERFACE_LINK_LIBRARIES)
  list(FILTER libraries EXCLUDE REGEX "(^|TARGET_NAME:)trisweep_")
  set(${result} ${libraries} PARENT_SCOPE)
endfunction()

# The shared library TARGET, in the file libNAME.so, of stages. Programs see of it what is in our namespace, and need
# no dependency but MPI.
function(trisweep_shared_library target name)
  add_library(${target} SHARED)
  foreach(stage IN LISTS ARGN)
    if(stage MATCHES "_(gpu|nvshmem)$")  # the objects of other stages ask for what is in these
      target_link_libraries(${target} PRIVATE ${stage})
    else()
      target_sources(${target} PRIVATE $<TARGET_OBJECTS:${stage}>)
      trisweep_external_libraries(libraries ${stage})
      target_link_libraries(${target} PRIVATE ${libraries})
    endif()
  endforeach()
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_definitions(${target} INTERFACE OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
  target_include_directories(${target} INTERFACE
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
  target_link_libraries(${target} PUBLIC MPI::MPI_CXX)
  target_link_options(${target} PRIVATE -Wl,--version-script=${PROJECT_SOURCE_DIR}/cmake/trisweep.map)
  # Before 1.0 a minor version may change the interface.
  set_target_properties(${target} PROPERTIES
    OUTPUT_NAME ${name} LINKER_LANGUAGE CXX INSTALL_RPATH $ORIGIN
    VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
endfunction()

if(BUILD_SHARED_LIBS)
  trisweep_shared_library(trisweep_library trisweep ${stages})
  set(installed trisweep_library)
  if(TARGET trisweep_hmatrix)
    trisweep_shared_library(trisweep_hmatrix_library trisweep_hmatrix trisweep_storage trisweep_hmatrix)
    target_link_libraries(trisweep_hmatrix_library PUBLIC trisweep_library)
    set_target_properties(trisweep_hmatrix_library PROPERTIES EXPORT_NAME hmatrix)
    set(installed_hmatrix trisweep_hmatrix_library)
  endif()
  if(TARGET trisweep_superlu_dist)
    trisweep_shared_library(trisweep_superlu_dist_library trisweep_superlu_dist trisweep_superlu_dist)
    target_link_libraries(trisweep_superlu_dist_library PUBLIC trisweep_library)
    set_target_properties(trisweep_superlu_dist_library PROPERTIES EXPORT_NAME superlu_dist)
    set(installed_superlu_dist trisweep_superlu_dist_library)
  endif()
else()
  add_library(trisweep_library INTERFACE)
  target_link_libraries(trisweep_library INTERFACE ${stages})
  set(installed trisweep_library ${stages})
  if(TARGET trisweep_hmatrix)
    set(installed_hmatrix trisweep_storage trisweep_hmatrix)
  endif()
  if(TARGET trisweep_superlu_dist)
    set(installed_superlu_dist trisweep_superlu_dist)
  endif()
  foreach(stage IN LISTS stages installed_hmatrix installed_superlu_dist)
    string(REGEX REPLACE "^trisweep_" "" name ${stage})
    set_target_properties(${stage} PROPERTIES EXPORT_NAME ${name})
  endforeach()
endif()
set_target_properties(trisweep_library PROPERTIES EXPORT_NAME trisweep)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/Trisweep)
install(TARGETS ${installed} EXPORT TrisweepTargets)
set(exports TrisweepTargets)
if(installed_hmatrix)
  install(TARGETS ${installed_hmatrix} EXPORT TrisweepHmatrixTargets)
  list(APPEND exports TrisweepHmatrixTargets)
else()
  list(FILTER TRISWEEP_PUBLIC_HEADERS EXCLUDE REGEX "^(hmatrix|storage)")
endif()
if(installed_superlu_dist)
  install(TARGETS ${installed_superlu_dist} EXPORT TrisweepSuperluDistTargets)
  list(APPEND exports TrisweepSuperluDistTargets)
endif()
if(TARGET trisweep_cli)
  install(TARGETS trisweep_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  # Completions and manual pages, which the command itself prints: not where it cannot run.
  if(NOT CMAKE_CROSSCOMPILING)
    install(CODE "
      set(share \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/${CMAKE_INSTALL_DATADIR}\")
      include(${CMAKE_CURRENT_LIST_DIR}/TrisweepShellSupport.cmake)
      trisweep_install_shell_support(COMMAND \"$<TARGET_FILE:trisweep_cli>\" SHARE \"\${share}\")
    ")
  endif()
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

set(TRISWEEP_HAS_SUPERLU_DIST FALSE)
if(TARGET trisweep_superlu_dist)
  set(TRISWEEP_HAS_SUPERLU_DIST TRUE)
endif()
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TrisweepConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake INSTALL_DESTINATION ${package_dir})
# Before 1.0 a minor version may change the interface.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/TrisweepConfig.cmake ${PROJECT_BINARY_DIR}/TrisweepConfigVersion.cmake
              ${CMAKE_CURRENT_LIST_DIR}/TrisweepDependencies.cmake
        DESTINATION ${package_dir})
include(TrisweepPkgConfig)
install(FILES ${PROJECT_SOURCE_DIR}/LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
