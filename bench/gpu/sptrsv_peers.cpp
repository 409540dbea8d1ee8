#include "sptrsv_peers.hpp"

#include "cusparse.hpp"
#include "median.hpp"

namespace trisweep::bench {

void measure_cusparse(const SptrsvCase& one) {
  const auto& pattern = one.lower.pattern;
  const GpuCsr matrix({pattern.row_ptr.begin(), pattern.row_ptr.end()},
                      {pattern.col.begin(), pattern.col.end()}, one.lower.value);
  const auto start = Clock::now();
  CuSparse solver(matrix, {}, one.nrhs());
  const double analysis = seconds_since(start);
  solver.set(one.b);
  const double solve = median_seconds([&] { solver.solve(); });
  std::vector<double> x(one.b.size());
  solver.get(x);
  one.report(one.nrhs() == 1 ? "cuSPARSE SpSV" : "cuSPARSE SpSM", analysis, solve, x);
}

}  // namespace trisweep::bench
