# trisweep_stage(NAME USES stage... LINK target...): the static library of one folder of src/trisweep. The stages it
# names are the only ones its sources may include (scripts/check-layers reads the same list).
#
# trisweep_stage(NAME ROOM folder ...): that of a folder beside src, whose headers are included by their path from
# there. It stands on the library, is not installed, and is built where something needs it.
function(trisweep_stage name)
  cmake_parse_arguments(ARG "" "ROOM" "USES;LINK" ${ARGN})
  if(ARG_ROOM)
    set(folder ${PROJECT_SOURCE_DIR}/${ARG_ROOM})
    set(include ${PROJECT_SOURCE_DIR})
    set(all EXCLUDE_FROM_ALL)
  else()
    set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
    set(include $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src> $<INSTALL_INTERFACE:include>)
    set_property(GLOBAL APPEND PROPERTY TRISWEEP_STAGES trisweep_${name})
  endif()
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  add_library(trisweep_${name} STATIC ${all} ${sources})
  target_compile_features(trisweep_${name} PUBLIC cxx_std_20)
  target_include_directories(trisweep_${name} PUBLIC ${include})
  target_compile_options(trisweep_${name} PRIVATE -Wall -Wextra -Wshadow -Wno-missing-field-initializers)
  set_target_properties(trisweep_${name} PROPERTIES
    POSITION_INDEPENDENT_CODE ON
    # Where several files are compiled as one: each has its own.
    UNITY_BUILD_CODE_AFTER_INCLUDE "#undef INSTANTIATE\n#undef INSTANTIATE_STORAGE")
  target_precompile_headers(trisweep_${name} REUSE_FROM trisweep_headers)
  foreach(stage IN LISTS ARG_USES)
    if(TARGET trisweep_${stage})
      target_link_libraries(trisweep_${name} PUBLIC trisweep_${stage})
    endif()
  endforeach()
  target_link_libraries(trisweep_${name} PUBLIC ${ARG_LINK})
endfunction()

set(TRISWEEP_ISAS baseline)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND TRISWEEP_ISAS x86_64_v3 x86_64_v4)
endif()
if(TRISWEEP_INSTRUCTION_SETS STREQUAL native)
  include(CheckCXXSourceRuns)
  set(best baseline)
  set(CMAKE_REQUIRED_INCLUDES ${PROJECT_SOURCE_DIR}/src)
  foreach(isa IN ITEMS x86_64_v3 x86_64_v4)
    check_cxx_source_runs("#include <trisweep/core/instruction_set.hpp>
                           int main() { return trisweep::instruction_set::${isa}() ? 0 : 1; }" TRISWEEP_RUNS_${isa})
    if(TRISWEEP_RUNS_${isa})
      set(best ${isa})
    endif()
  endforeach()
  unset(CMAKE_REQUIRED_INCLUDES)
  set(TRISWEEP_ISAS ${best})
  add_compile_definitions(TRISWEEP_ONLY_ISA=${best})
endif()

# STAGE/NAME.cpp once for each instruction set that the library chooses from when it runs.
function(trisweep_instruction_sets stage name)
  foreach(isa IN LISTS TRISWEEP_ISAS)
    # A source file has one set of options in a target: a file for each includes the real one.
    set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}_${isa}.cpp)
    file(CONFIGURE OUTPUT ${source} CONTENT "#include \"trisweep/${stage}/${name}.cpp\"\n")
    # GCC's elimination of partial redundancies spills the vectors of a tile.
    set(options -DTRISWEEP_ISA=${isa} -Wno-psabi $<$<CXX_COMPILER_ID:GNU>:-fno-tree-pre>)
    if(isa MATCHES "^x86_64_v")
      string(REPLACE "x86_64_v" "-march=x86-64-v" march ${isa})
      list(APPEND options ${march})
    endif()
    set_source_files_properties(${source} PROPERTIES COMPILE_OPTIONS "${options}" SKIP_PRECOMPILE_HEADERS ON)
    target_sources(trisweep_${stage} PRIVATE ${source})
  endforeach()
  set_source_files_properties(${CMAKE_CURRENT_SOURCE_DIR}/${stage}/${name}.cpp PROPERTIES HEADER_FILE_ONLY ON)
endfunction()

if(TRISWEEP_SANITIZE)
  add_compile_options(-fsanitize=${TRISWEEP_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TRISWEEP_SANITIZE})
endif()
