# Tells version.cpp of the stage core what it cannot know: the commit, and how the library is built.
set(commit)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND ${GIT_EXECUTABLE} describe --always --dirty --abbrev=12 --exclude=*
                  WORKING_DIRECTORY ${PROJECT_SOURCE_DIR}
                  OUTPUT_VARIABLE commit ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
endif()
set(gpu "no GPU")
if(TRISWEEP_CUDA)
  set(gpu CUDA)
elseif(TRISWEEP_HIP)
  set(gpu HIP)
endif()
set(sanitizer "no sanitizer")
if(TRISWEEP_SANITIZE)
  set(sanitizer "sanitizers ${TRISWEEP_SANITIZE}")
endif()
list(JOIN TRISWEEP_ISAS " " isas)
# Whatever decides how sums are rounded: ranks compare it.
string(STRIP "${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION} ${CMAKE_CXX_FLAGS}" compiler)
string(REGEX REPLACE "[\"\\]" "" compiler "${compiler}")
set(built_as "${CMAKE_BUILD_TYPE}, instruction sets ${isas}, ${gpu}, ${sanitizer}, ${compiler}")
set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/core/version.cpp PROPERTIES
  SKIP_UNITY_BUILD_INCLUSION ON
  COMPILE_DEFINITIONS "TRISWEEP_COMMIT=\"${commit}\";TRISWEEP_BUILD_OPTIONS=\"${built_as}\"")
