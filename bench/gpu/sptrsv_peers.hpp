#pragma once
// cuSPARSE's solves with the same triangle. If it is not installed, a message says that it is not measured.

#include <functional>
#include <string>
#include <vector>

#include "trisweep/matrix/csr.hpp"

namespace trisweep::bench {

// Right-hand sides, column-major, and the function that reports a solver: its name, seconds of its analysis
// and of a solve, and the solutions.
struct SptrsvCase {
  const matrix::Csr<double>& lower;
  const std::vector<double>& b;
  std::function<void(const std::string&, double, double, const std::vector<double>&)> report;

  Index nrhs() const { return static_cast<Index>(b.size() / usize(lower.rows())); }
};

void measure_cusparse(const SptrsvCase& one);

}  // namespace trisweep::bench
