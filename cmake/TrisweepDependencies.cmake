# Everything we stand on. One place: versions, and which flavour where a distribution has several. An installed
# Trisweep runs this very file from its TrisweepConfig.cmake, so that the library and its users link to the same
# things, found on the user's machine.
#
# Libraries that come without a CMake package become imported targets Trisweep::NAME.
include(CMakeFindDependencyMacro)

# Finds by find_dependency() in a user's build, where a missing package makes Trisweep "not found" with a message,
# and by find_package(REQUIRED) in ours.
macro(trisweep_find package)
  if(CMAKE_FIND_PACKAGE_NAME STREQUAL "Trisweep")
    find_dependency(${package} ${ARGN})
  else()
    find_package(${package} ${ARGN} REQUIRED)
  endif()
endmacro()

# Debian keeps several MPIs beside one another, and lets the plain names point at any of them. There it is Open MPI,
# unless -DMPI_EXECUTABLE_SUFFIX=.mpich or one of FindMPI's other variables says which.
if(NOT DEFINED MPI_EXECUTABLE_SUFFIX AND NOT MPI_CXX_COMPILER AND NOT MPI_HOME AND NOT DEFINED ENV{MPI_HOME})
  find_program(TRISWEEP_MPI_WRAPPER mpicxx)
  mark_as_advanced(TRISWEEP_MPI_WRAPPER)
  if(EXISTS "${TRISWEEP_MPI_WRAPPER}.openmpi")
    set(MPI_EXECUTABLE_SUFFIX .openmpi CACHE STRING "Which of Debian's MPIs: .openmpi or .mpich")
  endif()
endif()
trisweep_find(MPI COMPONENTS CXX)
if(CMAKE_FIND_PACKAGE_NAME STREQUAL "Trisweep" AND TRISWEEP_SHARED)
  return()  # shared libraries bring what is below
endif()
trisweep_find(Threads)
trisweep_find(fmt 9)
trisweep_find(ZLIB)
trisweep_find(nlohmann_json 3.11)

# trisweep_import(NAME PACKAGE library... [HEADER file] [DIRECTORIES suffix...]): the imported target
# Trisweep::NAME of the libraries of Debian's package PACKAGE, with the folder of `file`. Within each folder that
# is searched, DIRECTORIES come first.
function(trisweep_import name package)
  cmake_parse_arguments(ARG "" "HEADER" "DIRECTORIES" ${ARGN})
  if(TARGET Trisweep::${name})
    return()
  endif()
  add_library(Trisweep::${name} INTERFACE IMPORTED)
  foreach(library IN LISTS ARG_UNPARSED_ARGUMENTS)
    string(TOUPPER "TRISWEEP_${library}_LIBRARY" variable)
    find_library(${variable} ${library} PATH_SUFFIXES ${ARG_DIRECTORIES})
    mark_as_advanced(${variable})
    if(NOT ${variable})
      message(FATAL_ERROR "Trisweep needs the library ${library}: install ${package}, or set ${variable}.")
    endif()
    target_link_libraries(Trisweep::${name} INTERFACE ${${variable}})
  endforeach()
  if(ARG_HEADER)
    string(TOUPPER "TRISWEEP_${name}_INCLUDE" variable)
    find_path(${variable} ${ARG_HEADER} PATH_SUFFIXES ${ARG_DIRECTORIES})
    mark_as_advanced(${variable})
    if(NOT ${variable})
      message(FATAL_ERROR "Trisweep needs the header ${ARG_HEADER}: install ${package}, or set ${variable}.")
    endif()
    target_include_directories(Trisweep::${name} INTERFACE ${${variable}})
  endif()
endfunction()

# OpenBLAS with POSIX threads, although we never let it use more than one: the serial build is not safe to call from
# several threads at a time (Debian's is built without locking, and two factoring threads corrupt each other's
# products). Debian's alternatives may point libopenblas.so elsewhere, so it is linked by its own folder.
trisweep_import(OpenBLAS libopenblas-pthread-dev openblas
                DIRECTORIES openblas-pthread ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread)
trisweep_import(METIS libmetis-dev metis)
trisweep_import(SuiteSparse libsuitesparse-dev amd camd btf suitesparseconfig HEADER btf.h DIRECTORIES suitesparse)
if(TRISWEEP_SCOTCH)
  trisweep_import(SCOTCH libscotch-dev scotch scotcherr HEADER scotch.h DIRECTORIES scotch)
  # PT-SCOTCH, where it is found; Debian's is Open MPI's.
  if(NOT CMAKE_FIND_PACKAGE_NAME STREQUAL "Trisweep")
    option(TRISWEEP_PTSCOTCH "Order by all ranks with PT-SCOTCH, where it is found" ON)
    set(TRISWEEP_HAS_PTSCOTCH FALSE)
    find_path(TRISWEEP_PTSCOTCH_INCLUDE ptscotch.h PATH_SUFFIXES scotch)
    mark_as_advanced(TRISWEEP_PTSCOTCH_INCLUDE)
    if(TRISWEEP_PTSCOTCH AND TRISWEEP_PTSCOTCH_INCLUDE AND NOT MPI_EXECUTABLE_SUFFIX STREQUAL ".mpich")
      set(TRISWEEP_HAS_PTSCOTCH TRUE)
    endif()
  endif()
  if(TRISWEEP_HAS_PTSCOTCH)
    trisweep_import(PTSCOTCH libptscotch-dev ptscotch scotch ptscotcherr HEADER ptscotch.h DIRECTORIES scotch)
  endif()
endif()
if(NOT TRISWEEP_SOLVE_ONLY
   AND (NOT CMAKE_FIND_PACKAGE_NAME STREQUAL "Trisweep" OR "hmatrix" IN_LIST Trisweep_FIND_COMPONENTS))
  # The serial one: files are written and read by one rank, so that it goes with any MPI.
  trisweep_import(HDF5 libhdf5-dev hdf5 HEADER hdf5.h
                  DIRECTORIES hdf5/serial ${CMAKE_LIBRARY_ARCHITECTURE}/hdf5/serial)
endif()

# SuperLU_DIST, whose factors solvers may be made of: the component superlu_dist. Debian's is Open MPI's. A user's build
# asks for it only where the library was built with it.
if(CMAKE_FIND_PACKAGE_NAME STREQUAL "Trisweep")
  set(wanted FALSE)
  if(TRISWEEP_HAS_SUPERLU_DIST AND "superlu_dist" IN_LIST Trisweep_FIND_COMPONENTS)
    set(wanted TRUE)
  endif()
else()
  option(TRISWEEP_SUPERLU_DIST "Factorizations by SuperLU_DIST, where it is found" ON)
  set(wanted FALSE)
  if(TRISWEEP_SUPERLU_DIST AND NOT MPI_EXECUTABLE_SUFFIX STREQUAL ".mpich")
    find_library(TRISWEEP_SUPERLU_DIST_LIBRARY superlu_dist)
    find_path(TRISWEEP_SUPERLU_DIST_INCLUDE superlu_ddefs.h PATH_SUFFIXES superlu-dist superlu_dist)
    if(TRISWEEP_SUPERLU_DIST_LIBRARY AND TRISWEEP_SUPERLU_DIST_INCLUDE)
      # Later ones end the program where the parallel symbolic factorization runs out of its first guess of memory
      # (their issues 161 and 178), and others keep their factors in other fields.
      file(STRINGS ${TRISWEEP_SUPERLU_DIST_INCLUDE}/superlu_defs.h found
           REGEX "define SUPERLU_DIST_(MAJOR_VERSION +8|MINOR_VERSION +[01])$")
      list(LENGTH found of_version)
      if(of_version EQUAL 2)
        set(wanted TRUE)
      else()
        message(NOTICE "SuperLU_DIST in ${TRISWEEP_SUPERLU_DIST_INCLUDE} is not 8.0 or 8.1; going on without it")
      endif()
    endif()
  endif()
endif()
if(wanted)
  trisweep_find(OpenMP COMPONENTS CXX)
  trisweep_import(SuperLU_DIST libsuperlu-dist-dev superlu_dist HEADER superlu_ddefs.h
                  DIRECTORIES superlu-dist superlu_dist)
  target_link_libraries(Trisweep::SuperLU_DIST INTERFACE ${OpenMP_CXX_LIBRARIES})
endif()
