#include <fmt/format.h>

#include "cublas.hpp"

namespace trisweep::bench {

void measure_cublas(const device::GemvTasks& /*tasks*/, const CublasReport& /*report*/) {
  fmt::print("\nnot measured: cuBLAS, which this build is without\n\n");
}

}  // namespace trisweep::bench
