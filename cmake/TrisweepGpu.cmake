# The kernels of the device stage for GPUs, in a library of their own, trisweep_gpu: from one source by nvcc
# (TRISWEEP_CUDA) or hipcc (TRISWEEP_HIP). scripts/install-gpu-compilers has both.
option(TRISWEEP_CUDA "Build the kernels for NVIDIA's GPUs" OFF)
option(TRISWEEP_HIP "Build the kernels for AMD's GPUs" OFF)
if(TRISWEEP_CUDA AND TRISWEEP_HIP)
  message(FATAL_ERROR "TRISWEEP_CUDA or TRISWEEP_HIP: a library has the kernels of one of them.")
endif()
set(TRISWEEP_CUDA_ARCHITECTURES 80 90 CACHE STRING "Compute capabilities to build for")
set(TRISWEEP_HIP_ARCHITECTURES gfx90a CACHE STRING "AMD's chips to build for")

if(TRISWEEP_CUDA)
  set(installed_nvcc ${PROJECT_SOURCE_DIR}/.gpu/cuda/bin/nvcc)
  if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX} AND EXISTS ${installed_nvcc})
    set(CMAKE_CUDA_COMPILER ${installed_nvcc})
  endif()
  set(CMAKE_CUDA_ARCHITECTURES ${TRISWEEP_CUDA_ARCHITECTURES})
  enable_language(CUDA)
endif()

# In the folder of the stages.
function(trisweep_gpu)
  set(source ${CMAKE_CURRENT_SOURCE_DIR}/device/gpu_pes.cu)
  if(TRISWEEP_CUDA)
    add_library(trisweep_gpu STATIC ${source})
    # The standard by hand: CMake 3.25 does not know what nvcc 13 has.
    target_compile_options(trisweep_gpu PRIVATE -std=c++20 --expt-relaxed-constexpr --extended-lambda)
  elseif(TRISWEEP_HIP)
    # CMake's own support looks for ROCm's layout, which Debian's packages have not.
    find_program(TRISWEEP_HIPCC hipcc REQUIRED)
    find_library(TRISWEEP_HIP_RUNTIME amdhip64 REQUIRED)
    set(object ${CMAKE_CURRENT_BINARY_DIR}/gpu_pes.hip.o)
    list(TRANSFORM TRISWEEP_HIP_ARCHITECTURES PREPEND --offload-arch= OUTPUT_VARIABLE architectures)
    add_custom_command(OUTPUT ${object}
      COMMAND ${TRISWEEP_HIPCC} -std=c++20 -O3 -DNDEBUG -Wall -fPIC ${architectures} -I${PROJECT_SOURCE_DIR}/src
              -MD -MF ${object}.d -x hip -c ${source} -o ${object}
      DEPENDS ${source} DEPFILE ${object}.d COMMENT "Building HIP object ${object}" VERBATIM)
    add_library(trisweep_gpu STATIC ${object})
    set_target_properties(trisweep_gpu PROPERTIES LINKER_LANGUAGE CXX)
    target_link_libraries(trisweep_gpu PUBLIC ${TRISWEEP_HIP_RUNTIME})
  endif()
  if(TARGET trisweep_gpu)
    target_link_libraries(trisweep_gpu PUBLIC trisweep_device)
  endif()
endfunction()
