#include "trisweep/backend/kernel.hpp"
#include "trisweep/sptrsv/row_warp.hpp"

#define INSTANTIATE(T) TRISWEEP_KERNEL(trisweep::sptrsv::SolveRows<trisweep::backend::NumberOf<T>>)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
