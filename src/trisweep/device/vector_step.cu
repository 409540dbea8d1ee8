#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/vector_step.hpp"

#define KERNELS(T)                                                                \
  TRISWEEP_KERNEL(trisweep::device::RunRowBlocks<trisweep::backend::NumberOf<T>>) \
  TRISWEEP_KERNEL(trisweep::device::SumRowBlocks<trisweep::backend::NumberOf<T>>)
TRISWEEP_FOR_EACH_SCALAR(KERNELS)
