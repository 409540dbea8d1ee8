#include "studies/himv/batch_kernel.hpp"
#include "trisweep/backend/kernel.hpp"

#define INSTANTIATE(T) TRISWEEP_KERNEL(trisweep::studies::RunBatch<trisweep::backend::NumberOf<T>>)
TRISWEEP_FOR_EACH_SCALAR(INSTANTIATE)
