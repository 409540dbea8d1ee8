# The kernels for GPUs, from one source by nvcc (TRISWEEP_CUDA) or hipcc (TRISWEEP_HIP): those of the library, with the
# run time of backend/gpu, in a library of their own, trisweep_gpu, and those of the studies in another. No other file
# but backend/device.cpp knows for what GPU it is built, so that no other is compiled again for one.
# scripts/install-gpu-compilers has both compilers.
option(TRISWEEP_CUDA "Build the kernels for NVIDIA's GPUs" OFF)
option(TRISWEEP_HIP "Build the kernels for AMD's GPUs" OFF)
option(TRISWEEP_FAKE_CUDA "Build what TRISWEEP_CUDA does by the host's compiler, for tests without a GPU (tests/fake_cuda)" OFF)
set(choices ${TRISWEEP_CUDA} ${TRISWEEP_HIP} ${TRISWEEP_FAKE_CUDA})
list(FILTER choices INCLUDE REGEX ON)
list(LENGTH choices chosen)
if(chosen GREATER 1)
  message(FATAL_ERROR "TRISWEEP_CUDA, TRISWEEP_HIP or TRISWEEP_FAKE_CUDA: a library has the kernels of one of them.")
endif()
set(TRISWEEP_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities to build for")
set(TRISWEEP_HIP_ARCHITECTURES gfx90a CACHE STRING "AMD's chips to build for")

if(TRISWEEP_CUDA)
  if(EXISTS ${PROJECT_SOURCE_DIR}/.gpu/nvshmem/include/nvshmem.h)
    set(installed_nvshmem ${PROJECT_SOURCE_DIR}/.gpu/nvshmem)
  endif()
  set(TRISWEEP_NVSHMEM "${installed_nvshmem}" CACHE PATH
      "NVSHMEM, for GPUs of several ranks: the folder with its include/ and lib/")
  set(installed_nvcc ${PROJECT_SOURCE_DIR}/.gpu/cuda/bin/nvcc)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS ${installed_nvcc})
    set(CMAKE_CUDA_COMPILER ${installed_nvcc})
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${TRISWEEP_CUDA_ARCHITECTURES})
  enable_language(CUDA)
endif()

# nvcc: the standard by hand, since CMake 3.25 does not know what nvcc 13 has. 554: a conversion of which
# C++20's `requires` leaves only the useful cases.
set(trisweep_nvcc_options $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --expt-relaxed-constexpr --extended-lambda
                          --diag-suppress=554>)

# The files that call NVSHMEM, whose device functions are linked to them, in place of STUB.
function(trisweep_nvshmem stub)
  add_library(trisweep_nvshmem STATIC ${ARGN})
  # Functions that are linked know no kernel's bound of registers: no kernel of workers has more than 128.
  target_compile_options(trisweep_nvshmem PRIVATE ${trisweep_nvcc_options} $<$<COMPILE_LANGUAGE:CUDA>:-maxrregcount=128>)
  target_include_directories(trisweep_nvshmem SYSTEM PRIVATE ${TRISWEEP_NVSHMEM}/include)
  set_target_properties(trisweep_nvshmem PROPERTIES
    POSITION_INDEPENDENT_CODE ON CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON)
  target_link_libraries(trisweep_nvshmem PUBLIC trisweep_gpu ${TRISWEEP_NVSHMEM}/lib/libnvshmem_device.a
                                                ${TRISWEEP_NVSHMEM}/lib/libnvshmem_host.so.3)
  # The device functions are linked with these libraries, which CMake does not build first where each needs the other.
  add_dependencies(trisweep_nvshmem trisweep_gpu trisweep_backend)
  set_property(GLOBAL APPEND PROPERTY TRISWEEP_STAGES trisweep_nvshmem)
  set_source_files_properties(${stub} PROPERTIES HEADER_FILE_ONLY ON)
  target_link_libraries(trisweep_backend PUBLIC
    $<$<NOT:$<BOOL:$<TARGET_PROPERTY:TRISWEEP_ONE_PROCESS>>>:$<TARGET_NAME:trisweep_nvshmem>>)
endfunction()

# Programs of one process, which scripts/gpu packs: NVSHMEM would be most of the package.
function(trisweep_one_process)
  if(TARGET trisweep_nvshmem)
    foreach(program IN LISTS ARGN)
      set_target_properties(${program} PROPERTIES TRISWEEP_ONE_PROCESS ON)
      target_sources(${program} PRIVATE ${PROJECT_SOURCE_DIR}/src/trisweep/backend/symmetric_heap.cpp)
    endforeach()
  endif()
endfunction()

# trisweep_gpu_kernels(NAME STAGE/source...): the library of these kernels. In a build for no GPU there is none, which
# their stages say (backend/kernel.hpp).
function(trisweep_gpu_kernels library)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  if(chosen EQUAL 0)
    foreach(kernels IN LISTS ARGN)
      string(REGEX MATCH "^[a-z]+" stage ${kernels})
      cmake_path(GET kernels STEM name)
      set(source ${CMAKE_CURRENT_BINARY_DIR}/${name}.cpp)
      file(CONFIGURE OUTPUT ${source} CONTENT "#include \"${CMAKE_CURRENT_SOURCE_DIR}/${kernels}\"\n")
      target_sources(trisweep_${stage} PRIVATE ${source})
    endforeach()
  endif()
  if(TRISWEEP_CUDA)
    add_library(${library} STATIC ${sources})
    target_compile_options(${library} PRIVATE ${trisweep_nvcc_options})
    # By its place: who links the library need not know the language, whose programs have the run time by themselves.
    find_library(TRISWEEP_CUDA_RUNTIME cudart_static HINTS ${CMAKE_CUDA_IMPLICIT_LINK_DIRECTORIES} REQUIRED)
    target_link_libraries(${library} PUBLIC ${TRISWEEP_CUDA_RUNTIME} ${CMAKE_DL_LIBS} rt)
  elseif(TRISWEEP_HIP)
    # CMake's own support looks for ROCm's layout, which Debian's packages have not.
    find_program(TRISWEEP_HIPCC hipcc REQUIRED)
    find_library(TRISWEEP_HIP_RUNTIME amdhip64 REQUIRED)
    list(TRANSFORM TRISWEEP_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
    get_directory_property(definitions COMPILE_DEFINITIONS)
    list(TRANSFORM definitions PREPEND -D)
    foreach(source IN LISTS sources)
      cmake_path(GET source STEM name)
      set(object ${CMAKE_CURRENT_BINARY_DIR}/${name}.hip.o)
      add_custom_command(OUTPUT ${object}
        COMMAND ${CMAKE_CXX_COMPILER_LAUNCHER} ${TRISWEEP_HIPCC} -std=c++20 -O3 -DNDEBUG -Wall -fPIC
                ${architectures} ${definitions} -I${PROJECT_SOURCE_DIR}/src -I${PROJECT_SOURCE_DIR} -MD -MF ${object}.d -x hip -c ${source} -o ${object}
        DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building HIP object ${object}" VERBATIM)
      list(APPEND objects ${object})
    endforeach()
    add_library(${library} STATIC ${objects})
    set_target_properties(${library} PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(${library} PUBLIC ${TRISWEEP_HIP_RUNTIME})
  endif()
  if(TRISWEEP_FAKE_CUDA)
    set_source_files_properties(${sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-x;c++")
    add_library(${library} STATIC ${sources})
    set_target_properties(${library} PROPERTIES UNITY_BUILD OFF)
  endif()
  if(TARGET ${library})
    set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE ON)
  endif()
endfunction()

# A run time and a language for files that nvcc would compile. All files see the same: there is but one compiler.
function(trisweep_fake_cuda)
  set(folder ${PROJECT_SOURCE_DIR}/tests/fake_cuda)
  target_sources(trisweep_gpu PRIVATE ${folder}/runtime.cpp ${folder}/blocks.cpp ${folder}/nvshmem.cpp)
  target_include_directories(trisweep_backend BEFORE PUBLIC
    $<BUILD_INTERFACE:${folder}/include> $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/tests>)
  target_compile_definitions(trisweep_backend PUBLIC __CUDACC__ __CUDA_ARCH__=700 TRISWEEP_RELEASE_FENCE)
  if(TRISWEEP_SANITIZE STREQUAL thread)
    set_source_files_properties(${folder}/blocks.cpp PROPERTIES
      COMPILE_OPTIONS "-fno-sanitize=thread;-DFAKE_CUDA_THREAD_SANITIZER")
  endif()
endfunction()

# Those of the library. In the folder of the stages.
function(trisweep_gpu)
  set(of_nvshmem backend/gpu/nvshmem.cu device/worker_nvshmem.cu)
  set(of_no_heap ${CMAKE_CURRENT_SOURCE_DIR}/backend/symmetric_heap.cpp)
  if(chosen GREATER 0)
    list(APPEND ARGN backend/gpu/runtime.cu)
  endif()
  if(TRISWEEP_FAKE_CUDA)
    list(APPEND ARGN ${of_nvshmem})
    set_source_files_properties(${of_no_heap} PROPERTIES HEADER_FILE_ONLY ON)
  endif()
  trisweep_gpu_kernels(trisweep_gpu ${ARGN})
  if(TARGET trisweep_gpu)
    # Each calls the other.
    target_link_libraries(trisweep_gpu PUBLIC trisweep_backend)
    target_link_libraries(trisweep_backend PUBLIC trisweep_gpu)
    target_compile_definitions(trisweep_backend PRIVATE TRISWEEP_GPU_KIND=$<IF:$<BOOL:${TRISWEEP_HIP}>,hip,cuda>)
    set_property(GLOBAL APPEND PROPERTY TRISWEEP_STAGES trisweep_gpu)
  endif()
  if(TRISWEEP_FAKE_CUDA)
    trisweep_fake_cuda()
  endif()
  if(TRISWEEP_CUDA AND TRISWEEP_NVSHMEM)
    trisweep_nvshmem(${of_no_heap} ${of_nvshmem})
  endif()
endfunction()
