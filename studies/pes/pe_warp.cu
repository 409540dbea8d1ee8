#include "studies/pes/pe_warp.hpp"
#include "trisweep/backend/kernel.hpp"

#define TRISWEEP_DESIGN(T, E) \
  TRISWEEP_KERNEL(trisweep::studies::RunDesign<trisweep::backend::NumberOf<T>, trisweep::studies::E>)
#define INSTANTIATE(T)             \
  TRISWEEP_DESIGN(T, Unified)      \
  TRISWEEP_DESIGN(T, GetUpdatePut) \
  TRISWEEP_DESIGN(T, ReadOnly)     \
  TRISWEEP_DESIGN(T, Push)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
