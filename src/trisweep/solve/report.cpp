#include "trisweep/solve/report.hpp"

#include "trisweep/numeric/estimates.hpp"

namespace trisweep::solve {

void describe(FactorReport& report, const symbolic::Structure& structure, numeric::Kind kind,
              const numeric::Estimates& estimate) {
  report.kind = numeric::describe(kind).name;
  report.nonzeros_l = estimate.nonzeros_l;
  report.nonzeros_u = estimate.nonzeros_u;
  report.bytes = report.uncompressed_bytes = estimate.factor_bytes;
  report.supernodes = structure.supernodes();
  report.flops = estimate.all_flops();
}

}  // namespace trisweep::solve
