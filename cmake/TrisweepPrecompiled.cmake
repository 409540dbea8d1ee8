# What most files include takes a second or two of each: trisweep_precompile(NAME LINK target... HEADERS header...
# OPTIONS option...) parses it once, for the targets of target_precompile_headers(... REUSE_FROM NAME), which are to be
# compiled with the same options.
if(CMAKE_CXX_COMPILER_LAUNCHER AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
  add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)  # ccache asks for it (scripts/build)
elseif(CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_DISABLE_PRECOMPILE_HEADERS ON)
endif()

function(trisweep_precompile name)
  cmake_parse_arguments(ARG "" "" "LINK;HEADERS;OPTIONS" ${ARGN})
  file(CONFIGURE OUTPUT ${name}.cpp CONTENT "")
  add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
  target_compile_features(${name} PRIVATE cxx_std_20)
  set_target_properties(${name} PROPERTIES UNITY_BUILD OFF)
  target_link_libraries(${name} PRIVATE ${ARG_LINK})
  target_compile_options(${name} PRIVATE ${ARG_OPTIONS})
  target_precompile_headers(${name} PRIVATE ${ARG_HEADERS})
endfunction()

set(TRISWEEP_COMMON_HEADERS
    <algorithm> <array> <atomic> <chrono> <cmath> <complex> <filesystem> <fstream> <functional> <map> <memory> <mutex>
    <numeric> <optional> <set> <span> <string> <thread> <unordered_map> <variant> <vector> <fmt/format.h>)
trisweep_precompile(trisweep_headers LINK fmt::fmt HEADERS ${TRISWEEP_COMMON_HEADERS} OPTIONS -fPIC)
