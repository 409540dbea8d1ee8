#pragma once

namespace trisweep::numeric {

// Tells the BLAS in use to keep to the calling thread, where it can be told (OpenBLAS). Ranks and our own
// threads already fill the processors, and products split over threads depend on their number. It is a
// setting of the whole process, so the library leaves it to the program: call it once at the start.
void use_one_blas_thread();

}  // namespace trisweep::numeric
