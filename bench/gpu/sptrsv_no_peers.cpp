#include <fmt/format.h>

#include "sptrsv_peers.hpp"

namespace trisweep::bench {

void measure_cusparse(const SptrsvCase& /*one*/) {
  fmt::print("\nnot measured: cuSPARSE, which this build is without\n\n");
}

}  // namespace trisweep::bench
