#include "trisweep/backend/kernel.hpp"
#include "trisweep/device/gemv.hpp"

#define INSTANTIATE(T) TRISWEEP_KERNEL(trisweep::device::MergedProduct<trisweep::backend::NumberOf<T>>)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
