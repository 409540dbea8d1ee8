#pragma once
// What the pivots of a symmetric factorization tell of the matrix.

#include <complex>

#include "trisweep/numeric/kind.hpp"

namespace trisweep::numeric {

// The signs of the eigenvalues, by Sylvester's law of inertia, and the determinant, phase * exp(log_modulus).
// A pivot that was replaced because nothing larger was left counts as zero, and so does the determinant then.
// Complex symmetric matrices have a determinant only.
struct PivotSummary {
  Index positive = 0;
  Index negative = 0;
  Index zero = 0;
  bool has_signs = true;
  double log_modulus = 0;
  std::complex<double> phase = 1;

  template <Scalar T>
  void add(T pivot, Kind kind);
  // A pivot of order 2, by its determinant and the sum of its eigenvalues.
  template <Scalar T>
  void add_pair(T determinant, T trace, Kind kind);
  void add_zero();
  PivotSummary& operator+=(const PivotSummary& other);
};

}  // namespace trisweep::numeric
