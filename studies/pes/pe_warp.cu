#include "studies/pes/pe_warp.hpp"
#include "trisweep/backend/kernel.hpp"

#define DESIGN(T, E) \
  TRISWEEP_KERNEL(trisweep::studies::RunDesign<trisweep::backend::NumberOf<T>, trisweep::studies::E>)
#define KERNELS(T) DESIGN(T, Unified) DESIGN(T, GetUpdatePut) DESIGN(T, ReadOnly) DESIGN(T, Push)
TRISWEEP_FOR_EACH_SCALAR(KERNELS)
