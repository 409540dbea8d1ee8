#pragma once
// Inertia and determinant of a matrix, from the pivots of its symmetric factorization.

#include <complex>

#include "trisweep/numeric/kind.hpp"

namespace trisweep::numeric {

// True if pivots are those of a real or Hermitian matrix.
template <Scalar T>
constexpr bool pivots_have_signs(Kind kind) {
  return !is_complex<T> || kind != Kind::ldlt;
}

// The signs of the eigenvalues, by Sylvester's law of inertia, and the determinant, phase * exp(log_modulus).
// A pivot that was replaced because nothing larger was left counts as zero, and makes the determinant zero.
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
  // Adds a pivot of order 2, given by its determinant and its trace.
  template <Scalar T>
  void add_pair(T determinant, T trace, Kind kind);
  void add_zero();
  // Adds the signs of pivots of order 1; their moduli are counted elsewhere.
  void add_signs(Index of_positive, Index of_negative) {
    positive += of_positive;
    negative += of_negative;
    if (of_negative % 2 != 0) phase = -phase;
  }
  PivotSummary& operator+=(const PivotSummary& other);
};

}  // namespace trisweep::numeric
