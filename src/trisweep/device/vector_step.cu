#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/vector_step.hpp"

#define INSTANTIATE(T)                                                            \
  TRISWEEP_KERNEL(trisweep::device::RunRowBlocks<trisweep::backend::NumberOf<T>>) \
  TRISWEEP_KERNEL(trisweep::device::SumRowBlocks<trisweep::backend::NumberOf<T>>)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
