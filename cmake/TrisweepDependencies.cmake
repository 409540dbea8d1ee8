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

trisweep_find(MPI COMPONENTS CXX)
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
trisweep_import(SCOTCH libscotch-dev scotch scotcherr HEADER scotch.h DIRECTORIES scotch)
