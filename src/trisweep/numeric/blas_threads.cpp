#include "trisweep/numeric/blas_threads.hpp"

// Absent, and then null, when another BLAS is linked.
extern "C" __attribute__((weak)) void openblas_set_num_threads(int threads);

namespace trisweep::numeric {

void use_one_blas_thread() {
  if (openblas_set_num_threads != nullptr) openblas_set_num_threads(1);
}

}  // namespace trisweep::numeric
