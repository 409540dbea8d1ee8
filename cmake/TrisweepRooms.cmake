# Rooms beside the library, which stand on it and are not installed (ARCHITECTURE.md); in order, as its stages.
trisweep_stage(gallery ROOM gallery USES matrix)

if(TRISWEEP_SOLVE_ONLY)
  return()
endif()

trisweep_stage(studies ROOM studies USES sptrsv hmatrix report)
trisweep_gpu_kernels(trisweep_gpu_studies studies/pes/pe_warp.cu studies/himv/batch_kernel.cu)
if(TARGET trisweep_gpu_studies)
  # Each calls the other.
  target_link_libraries(trisweep_gpu_studies PUBLIC trisweep_gpu trisweep_studies)
  target_link_libraries(trisweep_studies PUBLIC trisweep_gpu_studies)
endif()

trisweep_import(Assimp libassimp-dev assimp HEADER assimp/scene.h)
trisweep_stage(bem ROOM apps/bem USES studies hmatrix report LINK Trisweep::Assimp)
